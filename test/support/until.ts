// The one way in which tests wait for an event elsewhere: check repeatedly until it is true, or fail by name.

/** Checks every few milliseconds until `holds` returns true. Fails with `what` after `msMax` (default 30 s). */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  msMax = 30_000,
): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${msMax} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
