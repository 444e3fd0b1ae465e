// The contenders: the daemon over stdio with each strategy, and the git commands that Q CLI runs for the same work. All
// contenders are measured in the same way.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CheckpointdClient } from '../../src/client/client.ts';

/** One way to make checkpoints of a work tree. */
export interface Contender {
  readonly name: string;
  /** Makes the first capture: the checkpoint "0". */
  open(): Promise<void>;
  /** Makes a checkpoint of the current state, with statistics. */
  create(): Promise<void>;
  /** Checks for changes since the last checkpoint. */
  hasChanges(): Promise<void>;
  /** Lists the files that differ between the last two checkpoints. */
  diff(): Promise<void>;
  /** Counts the files that differ between the last two checkpoints. */
  stats(): Promise<void>;
  /** Restores the second newest checkpoint. The work tree differs from this checkpoint in `files` files. */
  restore(files: number): Promise<void>;
  /** Restores the newest checkpoint, after `files` of its files were removed from the work tree. */
  restoreLast(files: number): Promise<void>;
  /** Closes the session, as a client does that leaves. */
  leave(): Promise<void>;
  /** Simulates a client that comes back after a pause: reopens the closed session and makes a checkpoint. */
  reopen(): Promise<void>;
  /**
   * Sends light requests during a `create`, and returns the longest time in ms that a request waited. Returns
   * undefined for git, which has no daemon.
   */
  wait(): Promise<number | undefined>;
  /**
   * Restores like {@link restore} and sends light requests meanwhile. Returns the longest time in ms that a request
   * waited, or undefined for git.
   */
  waitInRestore(files: number): Promise<number | undefined>;
  /** Returns how many bytes the checkpoints take on disk. */
  diskBytes(): number;
  /**
   * Returns the current and the highest resident memory. Returns undefined if the system does not report these numbers.
   * Also returns undefined for git, because its commands end too soon to be measured.
   */
  memory(): { readonly rssBytes: number; readonly highestBytes: number } | undefined;
  close(): Promise<void>;
}

/** The daemon with one strategy, in a process of its own. */
export class DaemonContender implements Contender {
  readonly name: string;
  readonly #workTree: string;
  readonly #storage: string;
  #client: CheckpointdClient | undefined;
  #session = '';
  #turn = 0;
  #ownBefore = -1;

  constructor(strategy: string, workTree: string, scratch: string) {
    this.name = strategy;
    this.#workTree = workTree;
    this.#storage = join(scratch, `storage-${strategy}`);
  }

  async open(): Promise<void> {
    if (this.#ownBefore < 0) this.#ownBefore = allocated(join(this.#workTree, '.git'));
    this.#client ??= await CheckpointdClient.start();
    const { session, checkpoints } = await this.#daemon.request('session/open', {
      workspace: this.#workTree,
      conversationId: 'bench',
      storageDir: this.#storage,
      strategy: this.name,
      retention: 'keep',
      limits: { initTimeoutMs: 600_000 },
    });
    if (!checkpoints.enabled) throw new Error(checkpoints.message);
    this.#session = session;
  }

  /** Waits until the watcher has ended its scan. A running scan would disturb the measurement of the next contender. */
  async untilWatched(): Promise<void> {
    for (;;) {
      const { state } = await this.#daemon.request('worktree/status', { session: this.#session });
      if (state === 'live' || state === 'unwatched') return;
      await setTimeout(100);
    }
  }

  /**
   * Starts the process before the measurement, so that the measured time of opening a session does not include the
   * start.
   */
  async start(): Promise<void> {
    this.#client = await CheckpointdClient.start();
  }

  async create(): Promise<void> {
    await this.#daemon.request('checkpoint/create', { session: this.#session, kind: 'turn' });
    this.#turn += 1;
  }

  async hasChanges(): Promise<void> {
    await this.#daemon.request('checkpoint/hasChanges', { session: this.#session });
  }

  async diff(): Promise<void> {
    await this.#daemon.request('checkpoint/diff', {
      session: this.#session,
      from: String(this.#turn - 1),
      to: String(this.#turn),
      format: 'nameStatus',
    });
  }

  async stats(): Promise<void> {
    await this.#daemon.request('checkpoint/stats', {
      session: this.#session,
      from: String(this.#turn - 1),
      to: String(this.#turn),
    });
  }

  async leave(): Promise<void> {
    await this.#daemon.request('session/close', { session: this.#session });
  }

  async reopen(): Promise<void> {
    await this.open();
    await this.create();
  }

  async restore(files: number): Promise<void> {
    this.#turn -= 1;
    await this.restoreLast(files);
  }

  async restoreLast(files: number): Promise<void> {
    const tag = String(this.#turn);
    const { counts } = await this.#daemon.request('checkpoint/restore', {
      session: this.#session,
      tag,
      mode: 'hard',
      confirm: true, // a restore that deletes most files needs a confirmation
    });
    if (counts.restored !== files || counts.failed > 0)
      throw new Error(`${this.name}: ${counts.restored} files were restored, and not ${files}`);
  }

  wait(): Promise<number> {
    return this.#longestWait(() => this.create());
  }

  waitInRestore(files: number): Promise<number> {
    return this.#longestWait(() => this.restore(files));
  }

  /** Repeats a light request, in order to measure the event loop and not a single request. */
  async #longestWait(during: () => Promise<void>): Promise<number> {
    let longest = 0;
    const over = new AbortController();
    const work = during().finally(() => over.abort());
    while (!over.signal.aborted) {
      const started = performance.now();
      await this.#daemon.request('worktree/status', { session: this.#session });
      longest = Math.max(longest, performance.now() - started);
    }
    await work;
    return longest;
  }

  /** Returns the size of the storage in bytes. With strategy `local`, adds the growth of the user's repository. */
  diskBytes(): number {
    if (this.name !== 'local') return allocated(this.#storage); // only `local` writes into the repository
    return allocated(this.#storage, join(this.#workTree, '.git')) - this.#ownBefore;
  }

  memory(): { readonly rssBytes: number; readonly highestBytes: number } | undefined {
    if (process.platform !== 'linux') return undefined;
    const status = readFileSync(`/proc/${this.#daemon.pid}/status`, 'utf8');
    const field = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024;
    return { rssBytes: field('VmRSS'), highestBytes: field('VmHWM') };
  }

  async close(): Promise<void> {
    await this.#client?.request('session/delete', { session: this.#session, storageDir: this.#storage });
    await this.#client?.close();
  }

  get #daemon(): CheckpointdClient {
    if (this.#client === undefined) throw new Error('the daemon has not been started');
    return this.#client;
  }
}

/** Q CLI's git commands, on their own shadow repository. */
export class GitContender implements Contender {
  readonly name = 'git';
  readonly #workTree: string;
  readonly #gitDir: string;
  #turn = 0;

  constructor(workTree: string, scratch: string) {
    this.#workTree = workTree;
    this.#gitDir = join(scratch, 'q-shadow');
  }

  async open(): Promise<void> {
    mkdirSync(this.#gitDir);
    execFileSync('git', ['init', '--quiet', '--bare', this.#gitDir]);
    for (const [key, value] of [
      ['user.name', 'Q'],
      ['user.email', 'qcli@local'],
      ['core.preloadindex', 'true'],
    ] as const)
      this.#git('config', key, value);
    this.#commit('0');
  }

  async create(): Promise<void> {
    this.#turn += 1;
    this.#git('status', '--porcelain');
    this.#commit(String(this.#turn));
    this.#git('diff', '--name-status', String(this.#turn - 1), String(this.#turn));
  }

  async hasChanges(): Promise<void> {
    this.#git('status', '--porcelain');
  }

  async diff(): Promise<void> {
    this.#git('diff', '--name-status', String(this.#turn - 1), String(this.#turn));
  }

  async stats(): Promise<void> {
    this.#git('diff', '--shortstat', String(this.#turn - 1), String(this.#turn));
  }

  async leave(): Promise<void> {
    // git keeps nothing open
  }

  async reopen(): Promise<void> {
    this.#git('status', '--porcelain');
  }

  async restore(): Promise<void> {
    this.#turn -= 1;
    await this.restoreLast();
  }

  async restoreLast(): Promise<void> {
    this.#git('reset', '--quiet', '--hard', String(this.#turn));
    this.#git('clean', '-fd');
  }

  async wait(): Promise<undefined> {
    await this.create();
  }

  async waitInRestore(): Promise<undefined> {
    await this.restore();
  }

  diskBytes(): number {
    return allocated(this.#gitDir);
  }

  memory(): undefined {
    return undefined;
  }

  async close(): Promise<void> {}

  #commit(tag: string): void {
    this.#git('add', '-A');
    this.#git('commit', '--quiet', '--allow-empty', '--no-verify', '-m', tag);
    this.#git('tag', tag, '-f');
  }

  #git(...args: string[]): void {
    execFileSync('git', [`--git-dir=${this.#gitDir}`, `--work-tree=${this.#workTree}`, ...args], {
      cwd: this.#workTree,
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1 << 28,
    });
  }
}

/** Returns how many bytes the system has allocated for everything below a directory, as `du` does. */
export function allocated(...directories: readonly string[]): number {
  const counted = new Set<string>();
  let bytes = 0;
  for (const queue = [...directories]; ; ) {
    const directory = queue.pop();
    if (directory === undefined) return bytes;
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      // The file was removed meanwhile, or is a hard link to a file that was already counted.
      if (stat === undefined || counted.has(`${stat.dev}:${stat.ino}`)) continue;
      counted.add(`${stat.dev}:${stat.ino}`);
      bytes += (stat.blocks ?? 0) * 512;
      if (stat.isDirectory()) queue.push(path);
    }
  }
}
