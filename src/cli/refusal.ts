// Defines the failures that the command line itself reports. explained.ts prints such a failure on standard error, or
// as data with --json.

/** The error for a command line that is invalid or that cannot run here. */
export class CommandRefusal extends Error {
  /** The stable name of the refusal, like the `kind` of a daemon's error. */
  readonly kind: string;
  /** The problem, without the remedy. */
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

/** The error when there is no session. The message contains the remedy. */
export class NoSession extends CommandRefusal {
  constructor(fact: string, advice: string) {
    super('NoSession', fact, advice, 3);
  }
}
