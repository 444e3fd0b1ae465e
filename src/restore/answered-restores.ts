// The notes of finished restores whose files have perhaps not reached the disk yet. When the daemon has finished a
// restore and answers the client, it renames the restore's intent (journal.ts), which becomes the note. The daemon
// removes the note after it has synced the files. After a power cut, the remaining notes tell the next daemon which
// files to check (after-power-cut.ts). After a kill without a power cut, the next start only syncs the files.
import { join } from 'node:path';
import { syncDirectory, syncDirectoryAsync } from '../base/atomic-file.ts';
import { attemptOr, isMissing } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { within } from '../base/within.ts';
import { ancestors, rootPath, type TreePath } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { type RestoreIntent, RestoreJournal, recordOf } from './journal.ts';

/**
 * When a session ends, the daemon waits at most this time in ms for files to reach the disk. The time is short, because
 * the daemon must answer a shutdown within a second.
 */
const patienceMs = 500;
const noteName = /^restored-[0-9a-z]+\.json$/;

type AnsweredDirectory = { readonly own: string; readonly intentFile: string };

interface AnsweredNote {
  readonly intent: RestoreIntent;
  /**
   * The time when the daemon answered the client's request for the restore. If a file has a later change time, another
   * program has changed the file.
   */
  readonly answeredMs: number;
}

export class AnsweredRestores {
  readonly #directory: AnsweredDirectory;
  readonly #root: string;
  readonly #durable: boolean;
  readonly #log: Log;
  readonly #stop = new AbortController();
  /** The paths that are not synced yet. The key is the id of the restore that wrote the paths. */
  readonly #waiting = new Map<string, ReadonlySet<TreePath>>();
  #running: Promise<void> | undefined;

  /**
   * If `durable` is true, no restore needs a note, because each restore syncs its files before the daemon answers the
   * client.
   */
  constructor(directory: AnsweredDirectory, root: string, durable: boolean, log: Log) {
    this.#directory = directory;
    this.#root = root;
    this.#durable = durable;
    this.#log = log;
  }

  /**
   * Turns the intent of a finished restore into a note. {@link sync} syncs the new name. If a power cut reverses the
   * rename, the next opening finds the intent, and repeats this step or the restore.
   */
  keep(id: string): void {
    if (this.#durable) return new RestoreJournal(this.#directory.intentFile).remove();
    files.renameSync(this.#directory.intentFile, this.#file(id));
  }

  /** Syncs the files of a restore in the background, after the daemon has sent the result to the client. */
  sync(id: string, paths: ReadonlySet<TreePath>): void {
    if (this.#durable) return;
    this.#waiting.set(id, paths);
    this.#running ??= this.#syncAll().finally(() => {
      this.#running = undefined;
    });
  }

  /** Returns all notes, oldest first. Removes a note that cannot be read. */
  notes(): AnsweredNote[] {
    const notes: AnsweredNote[] = [];
    for (const name of this.#names()) {
      const file = join(this.#directory.own, name);
      const state = new RestoreJournal(file).read();
      if (state.kind === 'unfinished')
        notes.push({ intent: state.intent, answeredMs: files.statSync(file).ctimeMs });
      else if (state.kind === 'unreadable') {
        this.#log.warn(
          `the note of a finished restore (${file}) could not be read and was removed: ${state.reason}`,
        );
        files.rmSync(file, { force: true });
      }
    }
    return notes.sort((a, b) => recordOf(a.intent).seq - recordOf(b.intent).seq);
  }

  /** Makes the restore unfinished again, because its checkpoint was lost in a power cut. */
  reopen(id: string): void {
    files.renameSync(this.#file(id), this.#directory.intentFile);
    syncDirectory(this.#directory.own);
  }

  async forget(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      this.#waiting.delete(id);
      files.rmSync(this.#file(id), { force: true });
    }
    await syncDirectoryAsync(this.#directory.own);
  }

  /**
   * Waits briefly for running syncs, then stops them. The notes of unsynced restores stay. The kernel writes the files
   * of these restores later.
   */
  async close(): Promise<void> {
    await within(patienceMs, this.#running ?? Promise.resolve());
    this.#stop.abort();
  }

  /**
   * Syncs the files of all waiting restores together, because a later restore may have replaced files of an earlier
   * restore.
   */
  async #syncAll(): Promise<void> {
    const { signal } = this.#stop;
    try {
      while (this.#waiting.size > 0) {
        const ids = [...this.#waiting.keys()];
        const paths = new Set([...this.#waiting.values()].flatMap((each) => [...each]));
        await syncDirectoryAsync(this.#directory.own);
        await syncFiles(this.#root, paths, signal);
        signal.throwIfAborted();
        await this.forget(ids);
      }
    } catch (error) {
      if (!signal.aborted)
        this.#log.warn(
          `the daemon could not sync the files of a restore, so it keeps the note of the restore: ${String(error)}`,
        );
    }
  }

  #file(id: string): string {
    return join(this.#directory.own, `restored-${id}.json`);
  }

  #names(): string[] {
    return answeredNotesIn(this.#directory);
  }
}

/** Returns the names of the notes in a session's directory. */
function answeredNotesIn(directory: AnsweredDirectory): string[] {
  // Returns no names when another process has removed the directory.
  return attemptOr([], isMissing, () =>
    files.readdirSync(directory.own).filter((name) => noteName.test(name)),
  );
}

/**
 * The error codes of a path that was moved, removed or made unreadable. A sync of such a path is impossible or not
 * needed.
 */
const isGone = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO']);

/** Syncs files and the directories that contain them. @throws system errors, WorkTreeMissing, the signal's reason */
async function syncFiles(root: string, paths: ReadonlySet<TreePath>, signal: AbortSignal): Promise<void> {
  const tree = new AnchoredFiles(root);
  try {
    const directories = new Set<TreePath>([rootPath]);
    for (const path of paths) {
      for (const above of ancestors(path)) directories.add(above);
      await syncOne(tree, path, signal);
    }
    for (const directory of directories) await syncOne(tree, directory, signal);
  } finally {
    tree.close();
  }
}

async function syncOne(tree: AnchoredFiles, path: TreePath, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const fd = opened(tree, path);
  if (fd === undefined) return;
  try {
    const stats = files.fstatSync(fd);
    if (stats.isFile() || stats.isDirectory()) await filesAsync.fsync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Opens a file for a sync. If this user has no permission to read the file, opens it for writing. Does not open a link:
 * syncing the link's directory is enough.
 */
function opened(tree: AnchoredFiles, path: TreePath): number | undefined {
  for (const access of [constants.O_RDONLY, constants.O_WRONLY]) {
    try {
      return files.openSync(tree.address(path), access | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (!isGone.has(systemCode(error) ?? '')) throw error;
    }
  }
  return undefined;
}
