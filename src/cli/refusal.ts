// The refusals of the command line itself, printed on standard error, or under --json as data (explained.ts).

/** A command line that cannot be followed, or a place where it cannot be. */
export class CommandRefusal extends Error {
  /** A stable name, beside the kinds of errors that the daemon answers. */
  readonly kind: string;
  /** States what is wrong, without the advice. */
  readonly fact: string;
  readonly remedy: string;
  readonly code: number;

  constructor(kind: string, fact: string, remedy: string, code: number) {
    super(`${fact}. ${remedy}`);
    this.kind = kind;
    this.fact = fact;
    this.remedy = remedy;
    this.code = code;
  }
}

export function misused(fact: string, remedy: string): CommandRefusal {
  return new CommandRefusal('WrongCommandLine', fact, remedy, 2);
}

/** There is no session to work on; the message says what helps. */
export class NoSession extends CommandRefusal {
  constructor(fact: string, advice: string) {
    super('NoSession', fact, advice, 3);
  }
}
