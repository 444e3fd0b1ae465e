// Runs the engine of the ignore rules: git's own `check-ignore`, as a persistent process. The engine runs in a private
// git directory of the daemon with the user's work tree. The engine uses the user's `.gitignore` files, `info/exclude`
// and global excludes file. The engine starts no program, takes no lock and writes no file of the user. The engine does
// not use the index; git/repository/user-index.ts lists the tracked paths.
import { parse } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { isKind } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { isWaitedFor, readIfPresent } from '../../base/regular-file.ts';
import { rootPath, type TreePath, toText } from '../../tree/tree-path.ts';
import { GitChild, type TakeAnswer } from '../process/child.ts';
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';
import { isSilence } from '../process/silence.ts';
import type { Repository } from '../repository/git-dir.ts';
import { GlobalExcludes, type UserPlaces } from './global-excludes.ts';

interface IgnoreCheckerOptions {
  /** Paths are relative to this directory: the repository's root, or the work tree if there is no repository. */
  readonly root: string;
  readonly repository: Repository | undefined;
  /**
   * A private directory for the engine's git dir. This module makes the git dir, and the daemon removes it together
   * with the storage.
   */
  readonly directory: string;
  readonly places: UserPlaces;
  readonly log: Log;
}

/**
 * True on systems whose default file system ignores letter case. On such a system, rules match too many paths of a
 * case-sensitive volume.
 */
const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

/** True when the rules exclude a path; undefined when git gave no answer. */
export type IgnoreVerdict = boolean | undefined;

/**
 * The checker asks git for the matching rule only if the path has at most this many names. If a path has more than 24
 * directories, git 2.39 with `--verbose` reads freed memory and dies.
 */
const depthMax = 20;

/** Checks paths for one repository, or for a work tree outside any repository. */
export class IgnoreChecker {
  readonly #options: IgnoreCheckerOptions;
  readonly #globalExcludes: GlobalExcludes;
  #child: GitChild | undefined;
  /**
   * Files that contain ignore rules, but that git must not read. The checker has already warned about each of these
   * files.
   */
  readonly #blocked = new Set<string>();
  #sources = { key: '', hasRules: false, exclude: '', excludesFile: '' };
  /** The `info/exclude` in the engine's git directory; undefined until the git directory is made. */
  #laidOut: string | undefined;

  constructor(options: IgnoreCheckerOptions) {
    this.#options = options;
    const { places, repository, log } = options;
    this.#globalExcludes = new GlobalExcludes(places, repository, () => this.#gitDirectory(), log);
  }

  /** The process id of the running engine, for tests. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Reads all rules except those in `.gitignore` files. Restarts the engine when these rules have changed. */
  async refresh(): Promise<{ readonly key: string; readonly hasRules: boolean }> {
    const { repository } = this.#options;
    const excludesFile = this.#unblocked(await this.#globalExcludes.path());
    const exclude = repository === undefined ? '' : readRules(`${repository.commonDir}/info/exclude`);
    const global = readRules(excludesFile);
    const key = JSON.stringify([excludesFile, exclude, global]);
    if (key !== this.#sources.key) {
      this.#sources = { key, hasRules: hasPattern(exclude) || hasPattern(global), exclude, excludesFile };
      this.renew();
    }
    return this.#sources;
  }

  /**
   * For each path, returns whether the rules exclude it. For a path that made git die, returns undefined.
   * @throws GitMissing, GitFailed when git does nothing for seconds
   */
  async ignored(paths: readonly TreePath[]): Promise<IgnoreVerdict[]> {
    const isDeep = paths.map((path) => path.split('/').length > depthMax);
    if (!isDeep.includes(true)) return this.#answers(paths, (some) => this.#ask(some));
    const shallow = await this.#answers(
      paths.filter((_, at) => !isDeep[at]),
      (some) => this.#ask(some),
    );
    const deep = await this.#answers(
      paths.filter((_, at) => isDeep[at]),
      (some) => this.#askOnce(some),
    );
    return isDeep.map((is) => (is ? deep : shallow).shift());
  }

  async #answers(
    paths: readonly TreePath[],
    ask: (paths: readonly TreePath[]) => Promise<IgnoreVerdict[]>,
    isSecondTry = false,
  ): Promise<IgnoreVerdict[]> {
    try {
      return await ask(paths);
    } catch (error) {
      if (!isKind('GitFailed')(error)) throw error;
      // Does not divide the batch, because git would hang just as long on each half.
      if (isSilence(error)) throw error;
      // The engine may have been killed, or another scan may have restarted it.
      if (!isSecondTry) return this.#answers(paths, ask, true);
      // One bad path, such as a path that is now "beyond a symbolic link", ends the engine for the whole batch. So this
      // code halves the batch until the bad path is alone.
      if (paths.length === 1) {
        this.#options.log.warn(
          `git could not say whether a rule ignores ${JSON.stringify(toText(paths[0] ?? rootPath))}: ${error.message}`,
        );
        return [undefined];
      }
      const half = paths.length >> 1;
      return [
        ...(await this.#answers(paths.slice(0, half), ask, true)),
        ...(await this.#answers(paths.slice(half), ask, true)),
      ];
    }
  }

  /**
   * Warns once about this file, for which git would wait for ever. Git is therefore not asked about paths in the file's
   * directory and below.
   */
  warnBlocked(path: string): void {
    if (this.#blocked.has(path)) return;
    this.#blocked.add(path);
    this.#options.log.warn(
      `${path} is not a regular file, so no ignore rule applies in its directory and below. Remove it, or replace it by a file.`,
    );
  }

  /** Ends the engine. The next query starts a new engine, which reads every file again. */
  renew(): void {
    const child = this.#child;
    this.#child = undefined;
    void child?.close();
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    await child?.close();
  }

  kill(): void {
    this.#child?.kill();
  }

  /** Returns the global excludes file, if git can read it without waiting. */
  #unblocked(excludesFile: string): string {
    if (excludesFile === '' || !isWaitedFor(excludesFile)) return excludesFile;
    if (!this.#blocked.has(excludesFile)) {
      this.#blocked.add(excludesFile);
      this.#options.log.warn(`${excludesFile} is not a regular file, so its ignore rules are not used.`);
    }
    return '';
  }

  #ask(paths: readonly TreePath[]): Promise<IgnoreVerdict[]> {
    if (paths.length === 0) return Promise.resolve([]);
    this.#child ??= new GitChild(this.#place(), [...checkIgnore, '--verbose', '--non-matching']);
    return this.#child.ask(questionOf(paths), takeVerdicts(paths.length));
  }

  /** Starts a git process for only these paths. The process prints only the ignored paths. */
  async #askOnce(paths: readonly TreePath[]): Promise<IgnoreVerdict[]> {
    const place = this.#place();
    const { stdout } = await runGit({ place, args: checkIgnore, input: questionOf(paths), accept: [0, 1] });
    const ignored = new Set(stdout.toString('latin1').split('\0'));
    return paths.map((path) => ignored.has(`./${path}`));
  }

  /**
   * Returns the engine's git directory with the current rules. Makes the directory when git first needs it, because most
   * commands find no new path and ask git nothing.
   */
  #gitDirectory(): string {
    const { directory } = this.#options;
    const { exclude } = this.#sources;
    if (this.#laidOut === undefined) layOut(directory);
    if (this.#laidOut !== exclude)
      writeAtomically(`${directory}/info/exclude`, Buffer.from(exclude, 'latin1'));
    this.#laidOut = exclude;
    return directory;
  }

  #place(): GitPlace {
    return {
      gitDir: this.#gitDirectory(),
      workTree: this.#options.root,
      // Git runs outside the work tree. In a directory of the work tree, git would take the paths as relative to that
      // directory.
      cwd: parse(this.#options.root).root,
      settings: { 'core.excludesFile': this.#sources.excludesFile, 'core.ignoreCase': String(foldsCase) },
    };
  }
}

const checkIgnore = ['check-ignore', '-z', '--stdin', '--no-index'];

/** Puts `./` in front of the name, because git would take a name that begins with `:` as a special pattern and exit. */
function questionOf(paths: readonly TreePath[]): Buffer {
  return Buffer.from(paths.map((path) => `./${path}\0`).join(''), 'latin1');
}

/**
 * Parses `SOURCE NUL LINE NUL PATTERN NUL PATH NUL` for each path. An empty source means that no rule matches. A
 * pattern that begins with `!` includes the path again.
 */
function takeVerdicts(count: number): TakeAnswer<IgnoreVerdict[]> {
  return (received) => {
    const verdicts: IgnoreVerdict[] = [];
    let at = 0;
    for (let i = 0; i < count; i += 1) {
      const source = received.indexOf(0, at);
      const line = source < 0 ? -1 : received.indexOf(0, source + 1);
      const pattern = line < 0 ? -1 : received.indexOf(0, line + 1);
      const path = pattern < 0 ? -1 : received.indexOf(0, pattern + 1);
      if (path < 0) return undefined;
      verdicts.push(source > at && received[line + 1] !== 0x21);
      at = path + 1;
    }
    return { value: verdicts, length: at };
  };
}

/** Makes the smallest directory that git accepts as a repository. */
function layOut(directory: string): void {
  for (const part of ['', '/objects', '/refs', '/info']) {
    files.mkdirSync(`${directory}${part}`, { recursive: true, mode: 0o700 });
  }
  writeAtomically(`${directory}/HEAD`, 'ref: refs/heads/main\n');
  writeAtomically(`${directory}/config`, '[core]\n\trepositoryformatversion = 0\n');
}

function readRules(file: string): string {
  return readIfPresent(file)?.toString('latin1') ?? '';
}

function hasPattern(rules: string): boolean {
  return rules.split('\n').some((line) => line.trim() !== '' && !line.startsWith('#'));
}
