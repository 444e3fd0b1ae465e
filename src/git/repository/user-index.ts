// Lists the paths that the user's own repository tracks. Reads the index with one `git ls-files`. This command reads no
// objects, and starts no program from the repository's configuration. Caches the answer while the stamp of the index
// file stays the same.
import { CheckpointdError } from '../../base/errors.ts';
import { fileKey } from '../../base/file-stamp.ts';
import type { Log } from '../../base/log.ts';
import { isWaitedFor } from '../../base/regular-file.ts';
import { type TreePath, toText } from '../../tree/tree-path.ts';
import { isRefusal, runGit } from '../process/run.ts';
import type { Repository } from './git-dir.ts';
import { blockingInclude } from './repository-settings.ts';

/** The time limit of `git ls-files`, which lists a million entries in half a second. */
const listMsMax = 8000;

/** A path in an index. Mode `160000` is a submodule. All other modes are git's modes for files and links. */
interface IndexEntry {
  readonly path: TreePath;
  readonly isSubmodule: boolean;
}

export class UserIndex {
  readonly #repository: Repository;
  readonly #log: Log;
  #cached: { readonly key: string; readonly entries: Promise<readonly IndexEntry[]> } | undefined;

  constructor(repository: Repository, log: Log) {
    this.#repository = repository;
    this.#log = log;
  }

  /** A stamp that changes whenever the index may have changed. */
  key(): string {
    return fileKey(`${this.#repository.gitDir}/index`);
  }

  /**
   * Returns the tracked paths. If git cannot read the index, reports this and returns an empty list.
   * @throws GitMissing, GitFailed when git dies
   */
  entries(): Promise<readonly IndexEntry[]> {
    const key = this.key();
    if (this.#cached?.key !== key) this.#cached = { key, entries: this.#read() };
    return this.#cached.entries;
  }

  /**
   * Checks that git can read all files that it needs. @throws GitFailed when git would wait for ever for one of these
   * files
   */
  async #refuseToWait(): Promise<void> {
    const { gitDir, commonDir } = this.#repository;
    const index = `${gitDir}/index`;
    const blocking =
      (isWaitedFor(index) ? index : undefined) ??
      (await blockingInclude(`${commonDir}/config`, {})) ??
      (await blockingInclude(`${gitDir}/config.worktree`, {}));
    if (blocking === undefined) return;
    const message = `${blocking} is not a regular file, and git would hang while reading it. Remove it, or replace it by a regular file.`;
    throw new CheckpointdError('GitFailed', message, { details: { path: blocking } });
  }

  async #read(): Promise<readonly IndexEntry[]> {
    const { root, gitDir } = this.#repository;
    if (this.key() === 'ENOENT') return [];
    try {
      await this.#refuseToWait();
      const { stdout } = await runGit({
        // Runs git in `root`, because in `.git` it would list only paths below `.git/`.
        place: { gitDir, workTree: root, cwd: root, environment: { GIT_INDEX_FILE: `${gitDir}/index` } },
        args: ['ls-files', '-z', '--stage'],
        timeoutMs: listMsMax,
      });
      return parse(stdout);
    } catch (error) {
      this.#cached = undefined;
      if (!isRefusal(error)) throw error;
      this.#log.warn(
        `The index of ${toText(root as TreePath)} cannot be read, so tracked files that an ignore rule excludes are not captured: ${error.message}`,
      );
      return [];
    }
  }
}

/**
 * Parses `MODE SP ID SP STAGE TAB PATH NUL`. During a merge conflict, the index may contain a path up to three times,
 * once for each stage.
 */
function parse(listing: Buffer): IndexEntry[] {
  const entries: IndexEntry[] = [];
  const text = listing.toString('latin1');
  let last = '';
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\0', start);
    const tab = text.indexOf('\t', start);
    if (end < 0 || tab < 0 || tab > end) break;
    const path = text.slice(tab + 1, end) as TreePath;
    if (path !== last) entries.push({ path, isSubmodule: text.startsWith('160000', start) });
    last = path;
    start = end + 1;
  }
  return entries;
}
