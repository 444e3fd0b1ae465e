// The failure to find a session, apart from what is said of it.
import { CommandRefusal } from './refusal.ts';

/** There is no session to work on; the message says what helps. */
export class NoSession extends CommandRefusal {
  constructor(fact: string, advice: string) {
    super('NoSession', fact, advice, 3);
  }
}
