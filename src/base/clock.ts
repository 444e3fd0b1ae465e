// The clock is told here and nowhere else, so that a test can turn it. Order never rests on it: checkpoints carry
// a sequence number, because clocks jump.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds from an arbitrary start that never go back; for durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** RFC 3339, UTC, with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
