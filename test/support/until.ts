// Waits until a condition is true. Tests must wait for events only with this function.

/**
 * Calls `holds` every few milliseconds until it returns true. Fails with the text `what` after `msMax` (default 30 s).
 */
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
