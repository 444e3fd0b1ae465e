// Assertions of the program about its own state. A failed assertion means a defect of the program, and never a client's
// mistake. If an assertion fails during a mutation, the session's queue refuses all later changes, so that no change
// builds on an unexplained state.

/** The error for a defect of the program. Never thrown for bad input, a full disk or a missing file. */
export class InvariantViolation extends Error {
  constructor(fault: string) {
    super(`Invariant broken: ${fault}`);
    this.name = 'InvariantViolation';
  }
}

/**
 * Throws {@link InvariantViolation} unless `condition` is true. `fault` describes the error if `condition` is false.
 */
export function invariant(condition: unknown, fault: string): asserts condition {
  if (!condition) throw new InvariantViolation(fault);
}

/** Ends an exhaustive switch. The call does not compile if the switch misses a member of the union. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unhandled case ${JSON.stringify(value)}`);
}
