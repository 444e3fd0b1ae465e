// What captures rest on: the main thread's side of the directories that they hold (watch/held/held-directories.ts). It
// keeps the log of what those handles tell: of a directory that is held every change is in it, from the moment when it
// was held on. Whoever holds directories begins with a position of the log. It tells people nothing; chokidar does.
import type { Worker } from 'node:worker_threads';
import { systemCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { ChangeLog } from '../change-log.ts';
import { Fence } from '../fence.ts';
import { readMounts } from '../mounts.ts';
import { queueShareOf, startThread, ThreadEnds } from '../thread/thread-start.ts';
import type { FromHeld, HeldOrder, ToHeld } from './held-messages.ts';

const program = new URL('./held-thread.js', import.meta.url);
/** A handle takes a kilobyte or two. */
const heapMb = 256;
/** So many are held at once: the thread's loop must come to read the kernel's queue in between. */
const heldAtOnce = 500;
const restartMsMin = 500;
const restartMsMax = 60_000;

/** What a capture needs to know what changed since another one. */
export interface HeldTree {
  /** What the handles told. */
  readonly changes: ChangeLog;
  /** Whether directories can be held now. */
  readonly isReady: boolean;
  /** Gives directories handles before they are read, parents first; resolves with those that got none. */
  hold(paths: readonly TreePath[]): Promise<readonly TreePath[]>;
  /** True once every change made before this call is in {@link changes}. */
  fence(): Promise<boolean>;
  /** Lets all handles go: a later capture begins anew. */
  release(): void;
  /** What is mounted where, as the system says it; what is mounted over a directory no handle tells. */
  mounts(): string;
}

export interface HeldWatchOptions {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** A private directory, not yet there, for the cookies of {@link HeldTree.fence}. */
  readonly fenceDirectory: string;
  /** Directories can be held from now on. */
  readonly onReady?: (() => void) | undefined;
  /** Lets watches go that others of ours have, since the limit is reached; undefined where there are none. */
  readonly makeRoom?: (code: string) => Promise<void> | undefined;
  readonly log: Log;
}

interface Asked {
  readonly paths: readonly TreePath[];
  readonly answer: (missing: readonly TreePath[]) => void;
}

export class HeldWatch implements HeldTree {
  readonly changes = new ChangeLog();
  readonly #options: HeldWatchOptions;
  readonly #fence: Fence;
  readonly #asked = new Map<number, Asked>();
  readonly #threads = new ThreadEnds();
  #thread: Worker | undefined;
  #count = 0;
  #isReady = false;
  #isClosed = false;
  #restart: NodeJS.Timeout | undefined;
  #restartMs = restartMsMin;

  constructor(options: HeldWatchOptions) {
    this.#options = options;
    this.#fence = new Fence(options.fenceDirectory);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Starts the thread; {@link isReady} tells when it is up. Elsewhere than on Linux nothing is held. */
  start(): void {
    if (this.#thread !== undefined || this.#isClosed || process.platform !== 'linux') return;
    clearTimeout(this.#restart);
    const fence = this.#fence.prepare();
    if (fence === undefined) return this.#failed('there is no room for its fence');
    const order: HeldOrder = { root: this.#options.root, fence, eventsMax: queueShareOf() };
    const ifCurrent = <T>(then: (told: T) => void): ((told: T) => void) => {
      return (told) => {
        if (this.#thread === thread) then(told);
      };
    };
    let thread: Worker | undefined;
    try {
      thread = startThread<FromHeld>(
        order,
        {
          heard: ifCurrent((message) => this.#hear(message)),
          crashed: ifCurrent((error) => this.#failed(`its thread failed (${codeOf(error)})`)),
          ended: ifCurrent((code) => this.#failed(`its thread ended (${code})`)),
        },
        { name: 'held', program, heapMb },
      );
      this.#thread = thread;
    } catch (error) {
      this.#failed(`its thread could not be started (${codeOf(error)})`);
    }
  }

  async hold(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    const missing: TreePath[] = [];
    for (let from = 0; from < paths.length; from += heldAtOnce)
      for (const path of await this.#hold(paths.slice(from, from + heldAtOnce))) missing.push(path);
    return missing;
  }

  #hold(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    if (!this.#isReady) return Promise.resolve(paths);
    this.#count += 1;
    const id = this.#count;
    return new Promise((answer) => {
      this.#asked.set(id, { paths, answer });
      this.#say({ kind: 'hold', id, paths });
    });
  }

  async fence(): Promise<boolean> {
    const thread = this.#thread;
    if (!this.#isReady) return false;
    const isPassed = await this.#fence.pass();
    // Its directory is gone, or the machine stood still: no later capture shall wait in vain.
    if (!isPassed && this.#thread === thread) this.#failed('a fence was not passed in time');
    return isPassed;
  }

  release(): void {
    this.changes.lose('suspect');
    this.#say({ kind: 'release' });
  }

  mounts(): string {
    return readMounts();
  }

  /** No handle and no thread is left when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    await this.#stop();
    this.#fence.remove();
  }

  #hear(message: FromHeld): void {
    switch (message.kind) {
      case 'up':
        this.#isReady = true;
        this.changes.start();
        this.#options.onReady?.();
        return;
      case 'marks':
        for (const path of message.paths) this.changes.mark(path);
        if (message.isEverything) this.changes.lose('overflow');
        this.#say({ kind: 'taken' });
        return;
      case 'fence':
        return this.#fence.read(message.cookie);
      case 'held':
        this.#asked.get(message.id)?.answer(message.missing);
        this.#asked.delete(message.id);
        return;
      case 'limit':
        this.#atLimit(message.code);
    }
  }

  #atLimit(code: string): void {
    const room = this.#options.makeRoom?.(code);
    if (room === undefined)
      return this.#giveUp(
        `the system's limit of watches is reached (${code}). On Linux raise fs.inotify.max_user_watches`,
      );
    void Promise.all([this.#stop(), room]).then(() => this.start());
  }

  #say(message: ToHeld): void {
    this.#thread?.postMessage(message);
  }

  /** It would be reached again. */
  #giveUp(reason: string): void {
    this.#options.log.warn(`Captures look at everything: what changes cannot be followed, ${reason}.`);
    this.#isClosed = true;
    void this.#stop();
  }

  /** Begins anew after a pause; until then captures look at everything. */
  #failed(reason: string): void {
    if (this.#isClosed) return;
    this.#options.log.info(`What captures hold is held anew: ${reason}.`);
    void this.#stop();
    this.#restart = setTimeout(() => this.start(), this.#restartMs).unref();
    this.#restartMs = Math.min(this.#restartMs * 2, restartMsMax);
  }

  async #stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#isReady = false;
    this.changes.stop('unwatched');
    this.#fence.giveUp();
    for (const { paths, answer } of this.#asked.values()) answer(paths);
    this.#asked.clear();
    await this.#threads.end(thread);
  }
}

function codeOf(error: unknown): string {
  return systemCode(error) ?? String(error);
}
