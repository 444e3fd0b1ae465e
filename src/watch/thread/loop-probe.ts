// Finds out afterwards that an event loop stood still for so long that the kernel's queue of changes may have run over.

/** A loop that stood still for so long may have lost events. */
const loopDelayMsMax = 250;
const loopProbeMs = 200;

/** Calls back after each stall of this thread's loop, until the timer that it returns is cleared. Keeps nothing alive. */
export function probeLoop(stalled: () => void): NodeJS.Timeout {
  let last = performance.now();
  return setInterval(() => {
    const now = performance.now();
    if (now - last > loopProbeMs + loopDelayMsMax) stalled();
    last = now;
  }, loopProbeMs).unref();
}
