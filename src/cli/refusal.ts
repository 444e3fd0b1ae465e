// The refusals of the command line itself, printed on standard error, or under --json as data (explained.ts).

/** A command line that cannot be run, at all or in this place. */
export class CommandRefusal extends Error {
  /** A stable name, like the kinds of the daemon's errors. */
  readonly kind: string;
  /** The problem, without the advice. */
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

/** The refusal when there is no session. The message has the remedy. */
export class NoSession extends CommandRefusal {
  constructor(fact: string, advice: string) {
    super('NoSession', fact, advice, 3);
  }
}
