// The one way in which tests wait for something that happens elsewhere: look again until it holds, or fail by name.

/** Looks every few milliseconds until `holds`; fails with `what` after `msMax` (default 30 s). */
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
