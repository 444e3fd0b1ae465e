// Waits until a condition is true. Tests must wait for events only with this function.

/**
 * Calls `condition` again and again until it returns true. The pauses grow from 5 to 50 ms, because a condition may send
 * requests. Fails with the text `what` after `msMax` (default 30 s).
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  msMax = 30_000,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > msMax) throw new Error(`not within ${msMax} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, 5 + waitedMs / 20)));
  }
}
