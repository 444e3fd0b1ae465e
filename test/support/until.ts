// The only way in which tests wait for an event elsewhere. A test checks a condition repeatedly until the condition is
// true, or fails with its name.

/** Checks every few milliseconds until `holds` returns true. Fails with `what` after `msMax` (default 30 s). */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  msMax = 30_000,
): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${msMax} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
