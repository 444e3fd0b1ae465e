// Manages the conversations of agents. Each conversation has a session. The session is opened at the first event, and
// closed at the end of the conversation or after a long time without events. Events of one conversation are processed
// in their order of arrival.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { attempt, isOfSystem } from '../../base/attempt.ts';
import { CheckpointdClient, CheckpointdGoneError, CheckpointdRequestError } from '../../client/client.ts';
import { repositoryOf, type StoredSession, storedSessions } from '../../client/stored-sessions.ts';
import { daemonAt, openAndReport, whileBusy } from '../joining.ts';
import { cutTo, plain } from '../terminal.ts';
import { type LastHook, writeLastHook } from './hook-notes.ts';
import { deleteOldSessions, keptDays } from './old-sessions.ts';
import type { AgentEvent } from './payloads.ts';

/**
 * A conversation without events for this time is closed. The next event of the conversation opens the conversation
 * again.
 */
const silenceMs = 30 * 60_000;

/** The maximum time to wait for a command that has the session open. */
const busyMs = 10_000;

const hello = { clientInfo: { name: 'checkpointd hooks' } };

const waitedMs = 1000;

/**
 * The time after a prompt until which its hook certainly reads the answer. A hook gives up after 850 ms (hook.ts), and
 * needs some time to read and print the answer.
 */
const readsAnswerMs = 700;

/** The delay before old sessions are deleted, so that the deletion does not slow the start of the agent. */
const tidyAfterMs = 60_000;

interface OpenConversation {
  readonly client: CheckpointdClient;
  readonly session: string;
  readonly workspace: string;
  silence: NodeJS.Timeout | undefined;
}

export class Conversations {
  readonly #storage: string;
  readonly #log: (message: string) => void;
  readonly #open = new Map<string, OpenConversation>();
  /** For each conversation with unfinished events, a promise that resolves after the last of these events. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** For each conversation, the text of an answer that may have come too late for its hook. */
  readonly #unread = new Map<string, string>();
  #daemon: Promise<CheckpointdClient> | undefined;

  constructor(storage: string, log: (message: string) => void) {
    this.#storage = storage;
    this.#log = log;
  }

  get isIdle(): boolean {
    return this.#open.size === 0 && this.#last.size === 0;
  }

  /**
   * Processes one event and resolves with the text for the agent. Logs failures and never rejects. If a killed keeper
   * has already processed the event with this `id`, the event changes nothing.
   */
  async take(id: string, event: AgentEvent): Promise<string | undefined> {
    const name = `${event.agent} ${event.conversation}`;
    return this.#inTurn(name, () => this.#takeInTurn(name, id, event));
  }

  /** Runs `work` after all earlier work of this conversation has ended. `work` must never reject. */
  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const turn = before.then(work);
    this.#last.set(name, turn);
    const result = await turn;
    if (this.#last.get(name) === turn) this.#last.delete(name);
    return result;
  }

  /** Ends all conversations. Also ends the daemon that the keeper started for these conversations. */
  async close(): Promise<void> {
    await Promise.all(this.#last.values());
    for (const name of this.#open.keys()) await this.#endUnasked(name);
    try {
      await (await this.#daemon)?.close();
    } catch (error) {
      // Either the daemon never started, and the log already says so, or the daemon did not end properly.
      this.#log(`the keeper could not close its daemon: ${String(error)}`);
    }
  }

  async #takeInTurn(name: string, id: string, event: AgentEvent): Promise<string | undefined> {
    try {
      return await this.#handle(name, id, event);
    } catch (error) {
      if (!(error instanceof CheckpointdGoneError)) {
        this.#failed(name, event, error);
        return undefined;
      }
      this.#log(`${name}: the daemon has ended (${error.message}); the keeper starts another daemon`);
      this.#forget(name);
      try {
        return await this.#handle(name, id, event);
      } catch (second) {
        this.#failed(name, event, second);
        return undefined;
      }
    }
  }

  #writeLastHook(
    { agent, kind, atMs = Date.now() }: AgentEvent,
    more: Pick<LastHook, 'session' | 'failure'>,
  ): void {
    writeLastHook(this.#storage, { agent, at: new Date(atMs).toISOString(), event: kind, ...more });
  }

  #failed(name: string, event: AgentEvent, error: unknown): void {
    // The description of a turn contains the delay. A repeated event therefore sends the same key with different
    // parameters, and the daemon refuses the request.
    if (error instanceof CheckpointdRequestError && error.kind === 'IdempotencyConflict') return;
    const what = error instanceof CheckpointdRequestError ? `${error.kind}: ${error.message}` : String(error);
    this.#log(`${name}: ${event.kind} failed: ${what}`);
    this.#writeLastHook(event, { failure: what });
  }

  async #handle(name: string, id: string, event: AgentEvent): Promise<string | undefined> {
    const open = await this.#opened(name, event);
    const forModel = open === undefined ? undefined : await this.#handleIn(open, name, id, event);
    this.#writeLastHook(event, { session: open?.session });
    return forModel;
  }

  async #handleIn(
    open: OpenConversation,
    name: string,
    id: string,
    event: AgentEvent,
  ): Promise<string | undefined> {
    clearTimeout(open.silence);
    if (event.kind === 'end') {
      this.#unread.delete(name);
      await this.#end(name, keyOf(id));
      return undefined;
    }
    const endSilent = (): Promise<void> => this.#inTurn(name, () => this.#endUnasked(name));
    open.silence = setTimeout(() => void endSilent(), silenceMs).unref();
    const { client, session } = open;
    if (event.kind === 'prompt') {
      const texts = [this.#unread.get(name), await restoredSince(client, session)];
      const forModel = texts.filter((each) => each !== undefined).join('\n\n') || undefined;
      await this.#handlePrompt(name, keyOf(id), open, event);
      if (forModel === undefined || behindMs(event) < readsAnswerMs) this.#unread.delete(name);
      else this.#unread.set(name, forModel);
      return forModel;
    }
    if (event.kind === 'tool') await this.#toolFinished(id, open, event);
    return undefined;
  }

  /**
   * Makes the checkpoint at the start of a turn. The agent waits at most a second for this checkpoint. A late
   * checkpoint may contain work of the turn. The description or the name of the checkpoint then mentions the delay.
   */
  async #handlePrompt(
    name: string,
    idempotencyKey: string,
    { client, session }: OpenConversation,
    event: AgentEvent,
  ): Promise<void> {
    const { text = '' } = event;
    const begunMs = behindMs(event);
    const { checkpoint, replayed } = await client.request('checkpoint/create', {
      session,
      kind: 'turn',
      ...(text === '' ? {} : { message: text }),
      ...(begunMs > waitedMs ? { description: lateDescription(text, begunMs) } : {}),
      idempotencyKey,
    });
    const stoodMs = behindMs(event);
    if (stoodMs <= waitedMs || replayed === true) return;
    this.#log(
      `${name}: the checkpoint of the turn was finished ${stoodMs} ms after the prompt and may contain the first edits of the turn`,
    );
    if (begunMs > waitedMs) return;
    // Writes the delay into the checkpoint's name, because a finished checkpoint can change only its name.
    const mark = `captured ${seconds(stoodMs)} s late, ${new Date().toISOString().slice(11, 23)}`;
    await client.request('checkpoint/rename', { session, tag: checkpoint.id, name: mark });
  }

  async #toolFinished(
    id: string,
    { client, session, workspace }: OpenConversation,
    event: AgentEvent,
  ): Promise<void> {
    const { agent, conversation, directory, tool, call, files = [] } = event;
    const toolName = tool === '' ? undefined : tool;
    for (const [at, file] of files.entries()) {
      const path = pathInside(workspace, resolve(directory, file));
      if (path === undefined) continue;
      try {
        const idempotencyKey = keyOf(id, `file ${at}`);
        await client.request('ledger/recordWrite', { session, path, toolName, idempotencyKey });
      } catch (error) {
        if (!(error instanceof CheckpointdRequestError)) throw error;
        this.#log(`${agent} ${conversation}: ${path} was not recorded in the ledger: ${error.message}`);
      }
    }
    // An agent may report one call in two events. Both events get the same key and therefore make only one checkpoint.
    const idempotencyKey = call === undefined ? keyOf(id) : keyOf(agent, call);
    await client.request('checkpoint/create', {
      session,
      kind: 'tool',
      onlyIfChanged: true,
      toolName,
      idempotencyKey,
    });
  }

  /**
   * Returns the open session of the conversation, or opens the session. Returns undefined outside a git repository.
   * Also returns undefined for an `end` event if the conversation has no stored session.
   */
  async #opened(
    name: string,
    { kind, conversation, agent, directory }: AgentEvent,
  ): Promise<OpenConversation | undefined> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const place = realpathSync(directory);
    const workspace = repositoryOf(place);
    if (workspace === undefined) {
      this.#log(`${name}: ${place} is in no git repository, so hooks capture nothing there`);
      return undefined;
    }
    const conversationId = `${agent}:${conversation}`;
    if (kind === 'end' && this.#stored(workspace, conversationId) === undefined) return undefined;
    const open = await whileBusy(busyMs, () => this.#joinOrOpen(name, workspace, conversationId));
    this.#open.set(name, open);
    return open;
  }

  /**
   * Connects to the daemon that has the session open, or opens the session. @throws StoreBusy when a different daemon
   * opens or closes the session meanwhile
   */
  async #joinOrOpen(name: string, workspace: string, conversationId: string): Promise<OpenConversation> {
    const stored = this.#stored(workspace, conversationId);
    const report = (what: string): void => this.#log(`${name}: ${what}`);
    const holder = await daemonAt(stored?.socket, hello, report);
    const client = holder ?? (await this.#ownDaemon());
    try {
      const params = { workspace, conversationId, retention: 'keep', strategy: stored?.strategy } as const;
      const { session, checkpoints } = await openAndReport(client, params, report);
      if (!checkpoints.enabled) report(checkpoints.message ?? 'checkpoints are not enabled');
      return { client, session, workspace, silence: undefined };
    } catch (error) {
      await holder?.close();
      throw error;
    }
  }

  #stored(workspace: string, conversationId: string): StoredSession | undefined {
    return storedSessions(this.#storage, workspace).find(
      (each) => each.workspace === workspace && each.conversationId === conversationId,
    );
  }

  #ownDaemon(): Promise<CheckpointdClient> {
    this.#daemon ??= this.#startDaemon();
    return this.#daemon;
  }

  async #startDaemon(): Promise<CheckpointdClient> {
    const client = await CheckpointdClient.start({
      args: [`--storage-dir=${this.#storage}`],
      ...hello,
    });
    setTimeout(() => {
      const days = keptDays(this.#storage, this.#log);
      if (days === undefined) return;
      deleteOldSessions(client, days, this.#log).catch((error: unknown) =>
        this.#log(`the keeper could not delete old sessions: ${String(error)}`),
      );
    }, tidyAfterMs).unref();
    return client;
  }

  #forget(name: string): void {
    const open = this.#open.get(name);
    clearTimeout(open?.silence);
    this.#open.delete(name);
    this.#daemon = undefined;
  }

  /** Captures the changes since the last event, and closes the session. */
  async #end(name: string, idempotencyKey?: string): Promise<void> {
    const open = this.#open.get(name);
    if (open === undefined) return;
    clearTimeout(open.silence);
    this.#open.delete(name);
    const { client, session } = open;
    try {
      await client.request('checkpoint/create', {
        session,
        kind: 'tool',
        onlyIfChanged: true,
        description: 'Changes between the last checkpoint and the end of the conversation',
        idempotencyKey,
      });
    } finally {
      await this.#closeSession(name, open);
    }
  }

  /** Ends a conversation for which the agent did not report an end. Logs failures and never rejects. */
  async #endUnasked(name: string): Promise<void> {
    try {
      await this.#end(name);
    } catch (error) {
      this.#log(`${name}: the keeper could not capture the last changes: ${String(error)}`);
    }
  }

  async #closeSession(name: string, { client, session }: OpenConversation): Promise<void> {
    try {
      if (client === (await this.#daemon)) await client.request('session/close', { session });
      else await client.close();
    } catch (error) {
      this.#log(`${name}: the keeper could not close the session: ${String(error)}`);
    }
  }
}

/** Returns an idempotency key. Repeated reports of the same event get the same key. */
function keyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** Returns the time since the hook of an event was started, in milliseconds. */
function behindMs({ atMs }: AgentEvent): number {
  return atMs === undefined ? 0 : Date.now() - atMs;
}

function lateDescription(text: string, lateMs: number): string {
  const line = cutTo(text.replaceAll(/\s+/g, ' ').trim(), 60);
  return `${line === '' ? 'Turn started' : line} (captured ${seconds(lateMs)} s late)`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** Returns the path in the form of the protocol, or undefined for a path outside the work tree. */
function pathInside(workspace: string, file: string): string | undefined {
  const real = [dirname(file), file].map((each) => attempt(isOfSystem, () => realpathSync(each)));
  const [parent, itself] = real;
  // Resolves symbolic links only in the parent directories. If the file itself is a symbolic link, the result is the
  // link's path and not the path of the link's target.
  const path = parent === undefined ? (itself ?? file) : join(parent, basename(file));
  const inside = relative(workspace, path);
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? undefined : inside.split(sep).join('/');
}

// The text that tells the model which files a restore has changed since the last turn. The agent gets this text at the
// next prompt.

const listedMax = 50;

/** Returns the text for the model. Returns undefined when no file was restored since the last turn or tool. */
async function restoredSince(client: CheckpointdClient, session: string): Promise<string | undefined> {
  const { head } = await client.request('session/get', { session });
  if (head?.kind !== 'restore' || head.parent === undefined) return undefined;
  const { checkpoints } = await client.request('checkpoint/list', { session, kind: 'every', limit: 1000 });
  const last = checkpoints.filter(({ kind, seq }) => seq < head.seq && (kind === 'turn' || kind === 'tool'));
  const newest = last.reduce<(typeof last)[number] | undefined>(
    (best, each) => (best === undefined || each.seq > best.seq ? each : best),
    undefined,
  );
  const from = newest?.id ?? head.parent;
  const { files, stats } = await client.request('checkpoint/diff', { session, from, to: head.id });
  const count = stats.added + stats.modified + stats.deleted;
  if (count === 0) return undefined;
  const names = files.slice(0, listedMax).map(({ path, change: status }) => `- ${plain(path)} (${status})`);
  const more = count > names.length ? [`- and ${count - names.length} more`] : [];
  return [
    `The user restored files with checkpointd at ${head.timestamp} (${plain(head.description)}).`,
    'These files have changed since your last step. Read them again before you rely on them:',
    ...names,
    ...more,
  ].join('\n');
}
