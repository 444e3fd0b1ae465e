// Oaths of the program about itself. A broken one is a defect, never an answer to a client's mistake: inside a
// mutation it poisons the session's queue, so that no change builds on an unexplained state.

/** The program is wrong. Never thrown for bad input, a full disk or a missing file. */
export class InvariantViolation extends Error {
  constructor(because: string) {
    super(`Invariant broken: ${because}`);
    this.name = 'InvariantViolation';
  }
}

/** Throws {@link InvariantViolation} unless `condition` holds; `because` says why it always should. */
export function invariant(condition: unknown, because: string): asserts condition {
  if (!condition) throw new InvariantViolation(because);
}

/** The end of an exhaustive switch: does not compile while a member of the union is unhandled. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unhandled case ${JSON.stringify(value)}`);
}
