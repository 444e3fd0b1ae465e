// The session that MCP's tools work on: reached when the first of them needs it and held until the client goes, so
// that one daemon serves all calls. It is the one that the command line would take.
import { type CheckpointdClient, CheckpointdGoneError } from '../../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../../protocol/types.ts';
import { type Reached, reach, type Where } from '../reach.ts';

/** Methods that change nothing, so that a second try is safe when the daemon did not answer. */
const reading: ReadonlySet<string> = new Set([
  'checkpoint/list',
  'checkpoint/get',
  'checkpoint/diff',
  'checkpoint/files',
]);

export class HeldSession {
  readonly #where: Where;
  #reached: Promise<Reached> | undefined;

  constructor(where: Where) {
    this.#where = where;
  }

  /** Asks the daemon. @throws NoSession, and what the request ends with */
  async ask<M extends RequestMethod>(
    method: M,
    params: Omit<ParamsOf<M>, 'session'>,
    { signal, make = false }: { readonly signal: AbortSignal; readonly make?: boolean },
  ): Promise<ResultOf<M>> {
    try {
      return await this.#askOnce(method, params, { signal, make });
    } catch (error) {
      if (!(error instanceof CheckpointdGoneError)) throw error;
      if (reading.has(method)) return await this.#askOnce(method, params, { signal, make });
      const fate =
        'It is unknown whether the call was carried out. Call checkpoint_list before you repeat it.';
      throw new CheckpointdGoneError(`${error.message}. ${fate}`, { cause: error });
    }
  }

  async #askOnce<M extends RequestMethod>(
    method: M,
    params: Omit<ParamsOf<M>, 'session'>,
    { signal, make }: { readonly signal: AbortSignal; readonly make: boolean },
  ): Promise<ResultOf<M>> {
    const reached = this.#reach(make);
    const { client, session } = await reached;
    try {
      return await client.request(method, { session, ...params }, { signal });
    } catch (error) {
      // The next call finds another daemon.
      if (error instanceof CheckpointdGoneError && this.#reached === reached) this.#reached = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const client = await this.#reached?.then(clientOf, () => undefined);
    await client?.close();
  }

  #reach(make: boolean): Promise<Reached> {
    const reached = this.#reached ?? reach(this.#where, { make, stays: true });
    this.#reached = reached;
    reached.catch(() => {
      if (this.#reached === reached) this.#reached = undefined;
    });
    return reached;
  }
}

function clientOf({ client }: Reached): CheckpointdClient {
  return client;
}
