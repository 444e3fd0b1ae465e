// Connects to the daemon of a session when a page first sends a request for this session. Connects again if the daemon
// ends. Sends the events of connected sessions to every page.
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckpointdClient, EventName, NotificationMethod } from '../client/client.ts';
import type { InspectedSession } from './own-methods.ts';

/** The functions of the command line that find sessions and connect to them. */
export interface SessionSource {
  readonly storage: string;
  readonly list: () => readonly InspectedSession[];
  /** Joins the session in the daemon that has it open, or opens the session in a new daemon. */
  readonly open: (session: string) => Promise<CheckpointdClient>;
}

export const inspectedEvents = [
  'checkpoint/didCreate',
  'checkpoint/didRestore',
  'checkpoint/didFail',
  'worktree/didChange',
  'worktree/didDrift',
  'conversation/didChange',
  'conversation/didFillWindow',
  'remote/didFindLine',
  'remote/didPush',
] as const satisfies readonly (EventName & NotificationMethod)[];

const firstPauseMs = 200;
const longestPauseMs = 5000;

type Notify = (method: string, params: object) => void;

export class ReachedSessions {
  readonly #source: SessionSource;
  readonly #notify: Notify;
  readonly #clients = new Map<string, Promise<CheckpointdClient>>();
  readonly #end = new AbortController();

  constructor(source: SessionSource, notify: Notify) {
    this.#source = source;
    this.#notify = notify;
  }

  get storage(): string {
    return this.#source.storage;
  }

  /** True when the path is the work tree of a session of this storage. */
  isWorkTree(path: unknown): boolean {
    return this.#source.list().some(({ workspace }) => workspace === path);
  }

  /** Takes over the client with which the command has already opened a session. */
  adopt(session: string, client: CheckpointdClient): void {
    this.#clients.set(session, Promise.resolve(client));
    this.#listen(session, client);
  }

  /** Returns the client of a session. The first call opens the session. */
  async client(session: string): Promise<CheckpointdClient> {
    const known = this.#clients.get(session);
    if (known !== undefined) return known;
    const opening = this.#source.open(session);
    this.#clients.set(session, opening);
    try {
      const client = await opening;
      if (this.#end.signal.aborted) await client.close();
      else this.#listen(session, client);
      return client;
    } catch (error) {
      if (this.#clients.get(session) === opening) this.#clients.delete(session);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    const all = await Promise.allSettled(this.#clients.values());
    await Promise.allSettled(
      all.map(async (each) => each.status === 'fulfilled' && (await each.value.close())),
    );
  }

  #listen(session: string, client: CheckpointdClient): void {
    for (const event of inspectedEvents)
      client.on(event, (params) => {
        if (params.session === session) this.#notify(event, params);
      });
    void client.ended.then((why) => this.#reachAgain(session, why));
  }

  async #reachAgain(session: string, why: string): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#clients.delete(session);
    this.#notify('inspector/didLose', { session, why });
    for (let pauseMs = firstPauseMs; !this.#end.signal.aborted; ) {
      try {
        await delay(pauseMs, undefined, { signal: this.#end.signal });
        await this.client(session);
        this.#notify('inspector/didReach', { session });
        return;
      } catch {
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }
}
