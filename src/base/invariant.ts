// Assertions of the program about its own state. A failed assertion is a defect, never the answer to a
// client's mistake. In a mutation, a failed assertion poisons the session's queue: no later change builds on
// an unexplained state.

/** The error of a defect in the program. Never thrown for bad input, a full disk or a missing file. */
export class InvariantViolation extends Error {
  constructor(because: string) {
    super(`Invariant broken: ${because}`);
    this.name = 'InvariantViolation';
  }
}

/**
 * Throws {@link InvariantViolation} unless `condition` is true. `because` says why the condition should
 * always be true.
 */
export function invariant(condition: unknown, because: string): asserts condition {
  if (!condition) throw new InvariantViolation(because);
}

/** Ends an exhaustive switch: does not compile while a member of the union is unhandled. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unhandled case ${JSON.stringify(value)}`);
}
