// Reads a closed session from its files, in the command's own process. If the files do not give a reliable answer, a
// daemon opens the session. The daemon then answers this request and all later requests.
import type { CheckpointdClient, RequestOptions } from '../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { Resting } from '../resting.ts';
import type { Given } from './command.ts';
import { chosenSession } from './plain-command.ts';
import { type Reached, reach } from './reach.ts';
import { note } from './terminal.ts';

export interface Asked extends Pick<Reached, 'session' | 'workspace'> {
  readonly client: Pick<CheckpointdClient, 'request' | 'on'> & { close(): Promise<unknown> };
}

/** Returns the session to read. Returns undefined if there is no session, or if a daemon has to open the session. */
export async function reachedAtRest(given: Given): Promise<Asked | undefined> {
  const chosen = chosenSession(given);
  if (chosen === undefined || chosen.stored.socket !== undefined) return undefined;
  const { openAtRest } = await import('../resting.ts');
  const { session, workspace } = chosen.stored;
  const resting = await openAtRest(chosen.stored);
  return resting && { client: new RestingClient(resting, given, chosen.choice), session, workspace };
}

class RestingClient {
  readonly #resting: Resting;
  readonly #given: Given;
  /** The line about the choice of the session, until it is printed. A daemon's answer comes with its own line. */
  #choice: string | undefined;
  readonly #answers: Promise<unknown>[] = [];
  #opened: Promise<Reached> | undefined;

  constructor(resting: Resting, given: Given, choice: string | undefined) {
    this.#resting = resting;
    this.#given = given;
    this.#choice = choice;
  }

  async request<M extends RequestMethod>(
    method: M,
    params: ParamsOf<M>,
    options: RequestOptions = {},
  ): Promise<ResultOf<M>> {
    if (this.#opened === undefined) {
      const answering = this.#resting.answer(method, params, options.signal);
      this.#answers.push(answering);
      const answer = await answering;
      if (answer !== undefined) return this.#withChoice(answer);
    }
    this.#opened ??= this.#open();
    const { client } = await this.#opened;
    return client.request(method, params, options);
  }

  #withChoice<T>(answer: T): T {
    if (this.#choice !== undefined) note(this.#choice);
    this.#choice = undefined;
    return answer;
  }

  /** Stops reading the files before the daemon starts. The daemon may run in this process, and it writes files. */
  async #open(): Promise<Reached> {
    await Promise.allSettled(this.#answers);
    await this.#resting.close();
    return reach(this.#given);
  }

  /** No daemon has the session open, so there are no events. */
  on(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    if (this.#opened === undefined) return this.#resting.close();
    const { client } = await this.#opened;
    await client.close();
  }
}
