// The only way in which tests wait for an event elsewhere: a test checks a condition repeatedly until it is
// true, or fails with the name of the condition.

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
