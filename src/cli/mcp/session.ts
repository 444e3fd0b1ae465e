// Connects to the session of the MCP tools when the first tool needs it. The connection lasts until the client ends, so
// that one daemon serves all calls. The tools use the same session that the command line would choose.
import { type CheckpointdClient, CheckpointdGoneError } from '../../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../../protocol/types.ts';
import { type Reached, reach } from '../reach.ts';
import type { Where } from '../used-sessions.ts';

/**
 * The methods that only read. If the daemon does not answer a request that only reads, the server sends the request
 * again.
 */
const reading: ReadonlySet<string> = new Set([
  'checkpoint/list',
  'checkpoint/get',
  'checkpoint/diff',
  'checkpoint/files',
]);

export class McpSession {
  readonly #where: Where;
  #reached: Promise<Reached> | undefined;

  constructor(where: Where) {
    this.#where = where;
  }

  /** Sends a request to the daemon. @throws NoSession, and the errors of the request */
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
        'It is unknown whether the call was carried out. Call checkpoint_list before you repeat the call.';
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
      // The daemon has ended, so the next call connects to the session in a different daemon.
      if (error instanceof CheckpointdGoneError && this.#reached === reached) this.#reached = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const client = await this.#reached?.then(clientOf, () => undefined);
    await client?.close();
  }

  #reach(make: boolean): Promise<Reached> {
    const reached = this.#reached ?? reach(this.#where, { make, daemon: 'private' });
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
