// Finds the user's global ignore rules through `core.excludesFile`, the only user setting that the daemon reads on
// purpose. Reads each configuration file separately, so that a broken file does not affect the other files. `git
// config` runs no program of the user.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { attemptAsync } from '../../base/attempt.ts';
import { fileKey } from '../../base/file-stamp.ts';
import type { Log } from '../../base/log.ts';
import { readIfPresent } from '../../base/regular-file.ts';
import { isRefusal, runGit } from '../process/run.ts';
import type { Repository } from '../repository/git-dir.ts';
import { blockingInclude } from '../repository/repository-settings.ts';

/**
 * The time limit of `git config`, which reads only a few small files. If git takes longer, git is probably waiting for
 * ever.
 */
const configMsMax = 8000;

export interface UserPlaces {
  /** The user's home directory, or ''. */
  readonly home: string;
  /** `$XDG_CONFIG_HOME`, or `~/.config`. */
  readonly configHome: string;
  readonly systemConfig: string;
}

export function userPlaces(environment: NodeJS.ProcessEnv = process.env): UserPlaces {
  const home = environment.HOME ?? homedir();
  const xdg = environment.XDG_CONFIG_HOME;
  return {
    home,
    configHome: xdg === undefined || xdg === '' ? join(home, '.config') : xdg,
    systemConfig: '/etc/gitconfig',
  };
}

/**
 * Finds the value of `core.excludesFile` for one repository or without a repository, and detects changes of the
 * configuration.
 */
export class GlobalExcludes {
  readonly #places: UserPlaces;
  readonly #repository: Repository | undefined;
  readonly #scratchGitDir: () => string;
  readonly #log: Log;
  #cached: { readonly key: string; readonly path: Promise<string> } | undefined;

  /** `scratchGitDir` makes a git directory of the daemon, for git commands without a repository of the user. */
  constructor(places: UserPlaces, repository: Repository | undefined, scratchGitDir: () => string, log: Log) {
    this.#places = places;
    this.#repository = repository;
    this.#scratchGitDir = scratchGitDir;
    this.#log = log;
  }

  /**
   * Returns the absolute path of the global excludes file, or '' when the user disabled it. The file need not exist.
   */
  path(): Promise<string> {
    const configs = this.#configs();
    const key = configs.map(fileKey).join(' ');
    if (this.#cached?.key !== key) {
      const cached = { key, path: this.#resolve(configs) };
      this.#cached = cached;
      // The file was unreadable. The next call tries again to read it.
      cached.path.catch(() => {
        if (this.#cached === cached) this.#cached = undefined;
      });
    }
    return this.#cached.path;
  }

  /** Returns the configuration files, lowest precedence first. */
  #configs(): string[] {
    const { home, configHome, systemConfig } = this.#places;
    const list = [systemConfig, join(configHome, 'git', 'config'), join(home, '.gitconfig')];
    if (this.#repository !== undefined) {
      const { gitDir, commonDir } = this.#repository;
      list.push(join(commonDir, 'config'), join(gitDir, 'config.worktree'));
    }
    return list;
  }

  async #resolve(configs: readonly string[]): Promise<string> {
    let path = join(this.#places.configHome, 'git', 'ignore');
    const blocking = new Map<string, string>();
    for (const config of configs) {
      const file = await this.#blockingIn(config);
      if (file !== undefined) blocking.set(config, file);
    }
    for (const config of configs) path = (await this.#ask(config, blocking)) ?? path;
    return path;
  }

  /**
   * If git would wait for ever for a file of the configuration, warns about this file and returns its path. Otherwise
   * returns undefined.
   */
  async #blockingIn(config: string): Promise<string | undefined> {
    // Git cannot parse the configuration. A later call of git reports this error.
    return attemptAsync(isRefusal, async () => {
      const file = await blockingInclude(config, this.#environment);
      if (file !== undefined) {
        const whose = file === config ? 'the file is' : `the files that ${config} includes are`;
        this.#log.warn(
          `${file} is not a regular file, and git would hang while reading it, so ${whose} not read.`,
        );
      }
      return file;
    });
  }

  async #ask(config: string, blocking: ReadonlyMap<string, string>): Promise<string | undefined> {
    // Starts git only if the file contains this setting. Nearly all configuration files lack this setting.
    if (!/excludesfile|include/i.test(readIfPresent(config)?.toString('latin1') ?? '')) return undefined;
    const isWithout = blocking.has(config);
    // Git gets the user's repository as its git dir, because the conditions of an `includeIf` depend on the repository.
    const isOwnBlocked = [...blocking.keys()].some((other) =>
      other.startsWith(`${this.#repository?.commonDir}/`),
    );
    const gitDir = isOwnBlocked ? undefined : this.#repository?.gitDir;
    const scratchGitDir = this.#scratchGitDir();
    try {
      const { stdout, exitCode } = await runGit({
        place: {
          gitDir: gitDir ?? scratchGitDir,
          cwd: scratchGitDir,
          environment: this.#environment,
        },
        args: [
          'config',
          '--file',
          config,
          isWithout ? '--no-includes' : '--includes',
          '--type=path',
          '-z',
          '--get',
          'core.excludesFile',
        ],
        accept: [0, 1],
        timeoutMs: configMsMax,
      });
      const answer = stdout.toString('utf8').replace(/\0$/, '');
      if (exitCode !== 0) return undefined;
      return answer === '' ? '' : resolve(this.#repository?.root ?? this.#places.home, answer);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#log.warn(`${config} cannot be read, so its core.excludesFile is ignored: ${error.message}`);
      return undefined;
    }
  }

  get #environment(): Record<string, string> {
    return { HOME: this.#places.home, XDG_CONFIG_HOME: this.#places.configHome };
  }
}
