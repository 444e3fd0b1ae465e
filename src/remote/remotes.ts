// Stores the remotes and the writer id of one storage in a small file. All daemons of the storage share this file, and
// take a lock to change it. The file contains addresses only as parsed parts, so it contains no secret and no option
// for git.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeAtomically } from '../base/atomic-file.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { base32 } from '../base/ids.ts';
import { isObject, parseJson } from '../base/json.ts';
import { takeProcessLock } from '../base/process-lock.ts';
import type { RemoteUrl } from './remote-url.ts';

/**
 * The place where a host stores the refs of lines, which are pushed sessions. `hidden`: below refs/checkpointd/.
 * `heads`: below refs/heads/checkpointd/, for a host that accepts only branches.
 */
export type LinePlace = 'hidden' | 'heads';

/** A remote, in the form in which the file stores it. */
export interface Remote {
  readonly name: string;
  readonly url: RemoteUrl;
  /** The globs of paths that are never sent to this remote. */
  readonly leaveOut: readonly string[];
  /** RFC 3339. */
  readonly added: string;
  readonly refs: LinePlace;
}

interface RemotesFile {
  readonly format: 1;
  /** The writer id of this storage. No other storage moves the heads of this writer's lines. */
  readonly writer: string;
  readonly remotes: readonly Remote[];
  /**
   * The lines of this writer. The key is the session id in the line's name, and the value is the session of this
   * storage that writes the line.
   */
  readonly lines: Readonly<Record<string, string>>;
}

const lockMs = 5_000;

export class Remotes {
  readonly #file: string;
  readonly #storage: string;

  constructor(storage: string) {
    this.#storage = storage;
    this.#file = join(storage, 'remotes.json');
  }

  /** Returns all remotes, sorted by name. @throws StoreCorrupt, StoreVersion */
  list(): readonly Remote[] {
    return this.#read()?.remotes ?? [];
  }

  /** Returns the remote of this name. @throws UnknownRemote */
  get(name: string): Remote {
    const remote = this.list().find((each) => each.name === name);
    if (remote !== undefined) return remote;
    throw new CheckpointdError(
      'UnknownRemote',
      `There is no remote "${name.slice(0, 64)}". Use remote/list to see the remotes, or remote/add.`,
      { details: { remote: name.slice(0, 64) } },
    );
  }

  /** Returns the directory for data fetched from a remote. */
  directoryOf(name: string): string {
    return join(this.#storage, 'remotes', name);
  }

  /** The writer id of this storage. Undefined before the first remote is added. */
  get writer(): string | undefined {
    return this.#read()?.writer;
  }

  /** Adds a remote, or changes the remote of the same name. */
  async put(remote: Remote): Promise<void> {
    await this.#change((now) => {
      const others = now.remotes.filter(({ name }) => name !== remote.name);
      const remotes = [...others, remote].sort((a, b) => (a.name < b.name ? -1 : 1));
      return { ...now, remotes };
    });
  }

  /** Removes a remote and the data fetched from it. Returns false when there is no remote of this name. */
  async remove(name: string): Promise<boolean> {
    if (!this.list().some((remote) => remote.name === name)) return false;
    await this.#change((now) => ({ ...now, remotes: now.remotes.filter((remote) => remote.name !== name) }));
    files.rmSync(this.directoryOf(name), { recursive: true, force: true });
    return true;
  }

  /**
   * Returns the identity of the line that a session of this storage writes: the writer, and the session id in the
   * line's name. If two sessions were imported from one line, the second session writes a new line.
   */
  async lineOf(session: string, origin: string | undefined): Promise<{ writer: string; session: string }> {
    const now = this.#read();
    const known = now && Object.entries(now.lines).find(([, writer]) => writer === session)?.[0];
    if (now !== undefined && known !== undefined) return { writer: now.writer, session: known };
    const after = await this.#change((before) => {
      const holder = origin === undefined ? undefined : before.lines[origin];
      const isFree = holder === undefined || !files.existsSync(join(this.#storage, holder));
      const line = origin !== undefined && isFree ? origin : session;
      return { ...before, lines: { ...before.lines, [line]: session } };
    });
    const line = Object.entries(after.lines).find(([, writer]) => writer === session)?.[0] ?? session;
    return { writer: after.writer, session: line };
  }

  /**
   * Replaces the writer id `old`. Called when a second storage uses the same id, for example in a cloned container.
   * Changes nothing if another daemon of this storage has already replaced the id.
   */
  async renewWriter(old: string): Promise<string> {
    const after = await this.#change((now) => (now.writer === old ? { ...now, writer: newWriter() } : now));
    return after.writer;
  }

  #change(change: (now: RemotesFile) => RemotesFile): Promise<RemotesFile> {
    const lock = { name: 'remotes', directory: this.#storage, file: `${this.#file}.lock`, waitMs: lockMs };
    return underLock({ ...lock, busy: 'Another process is changing the remotes. Try again.' }, async () => {
      const before = this.#read() ?? { format: 1, writer: newWriter(), remotes: [], lines: {} };
      const after = change(before);
      if (after !== before || !files.existsSync(this.#file))
        writeAtomically(this.#file, `${JSON.stringify(withSum(after), null, 2)}\n`, { durable: true });
      return after;
    });
  }

  #read(): RemotesFile | undefined {
    let text: string;
    try {
      text = files.readFileSync(this.#file, 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    return parseRemotes(text, this.#file);
  }
}

function parseRemotes(text: string, file: string): RemotesFile {
  const value = parseJson(text);
  if (!isObject<keyof RemotesFile>(value)) throw damaged(file);
  const { format } = value;
  if (typeof format === 'number' && format > 1)
    throw new CheckpointdError(
      'StoreUnavailable',
      `${file} was written by a newer checkpointd (format ${format}). It was not changed. Update checkpointd.`,
      { details: { file, format } },
    );
  if (!isIntact(value)) throw damaged(file);
  const { sum: _, ...rest } = value as RemotesFile & { readonly sum?: string };
  return rest;
}

function damaged(file: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `${file} is damaged. Move it away and add the remotes again. No session is lost.`,
    { details: { file } },
  );
}

interface LockWanted {
  /** The name of the lock, which is unique only within `directory`. The directory must exist. */
  readonly name: string;
  readonly directory: string;
  /** The lock file, for systems on which a lock needs a file. */
  readonly file: string;
  readonly waitMs: number;
  /** The error message if another process keeps the lock for too long. */
  readonly busy: string;
}

/** Runs work while no other process of this machine runs work with the same lock. @throws ServerBusy */
export async function underLock<T>(
  { name, directory, file, waitMs, busy }: LockWanted,
  work: () => Promise<T>,
): Promise<T> {
  const { dev, ino } = files.statSync(directory, { bigint: true });
  const endMs = performance.now() + waitMs;
  for (;;) {
    const lock = await takeProcessLock(`${name} in ${dev}:${ino}`, file);
    if (lock !== undefined) return work().finally(() => lock.release());
    if (performance.now() > endMs) throw new CheckpointdError('ServerBusy', busy, { retryable: true });
    await delay(20);
  }
}

/** Makes a writer id: `wr_` and 20 random characters. */
function newWriter(): string {
  return `wr_${base32(randomBytes(13), 20)}`;
}
