// The failure of whoever looks for a session, apart from what is said of it.
/** There is no session to work on; the message says what helps. */
export class NoSession extends Error {
  /** What there is none of, without the advice. */
  readonly fact: string;

  constructor(fact: string, advice: string) {
    super(`${fact}. ${advice}`);
    this.fact = fact;
  }
}
