// Reads a closed session from its files, in the command's own process. If the files do not give a reliable answer, a
// daemon opens the session. The daemon then answers this request and all later requests.
import type { CheckpointdClient, RequestOptions } from '../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { Resting } from '../resting.ts';
import type { Given } from './command.ts';
import { theOnly } from './plain-command.ts';
import { type Reached, reach } from './reach.ts';

export interface Asked extends Pick<Reached, 'session' | 'workspace'> {
  readonly client: Pick<CheckpointdClient, 'request' | 'on'> & { close(): Promise<unknown> };
}

/** Returns the session to read. Returns undefined if several sessions match, or if a daemon has to open the session. */
export async function reachedAtRest(given: Given): Promise<Asked | undefined> {
  const stored = theOnly(given);
  if (stored === undefined || stored.socket !== undefined) return undefined;
  const { openAtRest } = await import('../resting.ts');
  const resting = await openAtRest(stored);
  if (resting === undefined) return undefined;
  const { session, workspace } = stored;
  return { client: new RestingClient(resting, given), session, workspace };
}

class RestingClient {
  readonly #resting: Resting;
  readonly #given: Given;
  readonly #answers: Promise<unknown>[] = [];
  #opened: Promise<Reached> | undefined;

  constructor(resting: Resting, given: Given) {
    this.#resting = resting;
    this.#given = given;
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
      if (answer !== undefined) return answer;
    }
    this.#opened ??= this.#open();
    const { client } = await this.#opened;
    return client.request(method, params, options);
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
