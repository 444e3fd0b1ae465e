// The clock of the machine. Checkpoints are ordered by a sequence number and not by time, because clocks jump.

export interface Clock {
  /** Returns milliseconds since 1970, UTC. */
  now(): number;
  /** Returns milliseconds since an arbitrary start, to measure durations. The values never decrease. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Starts to measure a duration. The returned function gives the milliseconds since then, rounded. */
export function stopwatch(): () => number {
  const startedMs = systemClock.monotonic();
  return () => Math.round(systemClock.monotonic() - startedMs);
}

/** Returns the present time as RFC 3339, UTC, with milliseconds. */
export function timestamp(): string {
  return new Date(systemClock.now()).toISOString();
}
