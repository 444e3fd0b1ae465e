// Controls handles-thread.ts from the main thread. Before a capture reads a directory, opens a handle on the directory.
// From then on, the change log gets a mark for every change in the directory. The fence proves that the marks have
// arrived. A capture that skips unchanged directories depends only on these handles. Linux only.
import { join } from 'node:path';
import { attempt, isOfSystem } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { ChangeLog } from './change-log.ts';
import { reachedLimit, remedyOf } from './mark-queue.ts';
import { WatchThread } from './watch-thread.ts';

/** The arguments of the thread. */
export interface HandlesOrder {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** The private directory in which the fence renames its cookie. */
  readonly fence: string;
}

export type FromHandles =
  /** The thread watches the fence's directory and accepts orders. */
  | { readonly kind: 'up' }
  /**
   * These paths may have changed. `isEverything` is true when there are too many paths to list, or when the list may be
   * incomplete.
   */
  | { readonly kind: 'marks'; readonly paths: readonly TreePath[]; readonly isEverything: boolean }
  /** The thread has read the event of a cookie file, and has sent the marks of all earlier events. */
  | { readonly kind: 'fence'; readonly cookie: string }
  /** Answers `open`. Every requested directory now has a handle, except for the `missing` directories. */
  | { readonly kind: 'opened'; readonly id: number; readonly missing: readonly TreePath[] }
  /** The system allows no more watches. */
  | { readonly kind: 'limit'; readonly code: string };

export type ToHandles =
  /** The main thread has processed the last marks. The watching thread gathers new marks until it gets this message. */
  | { readonly kind: 'taken' }
  /** The directories on which the thread opens handles, parents first. */
  | { readonly kind: 'open'; readonly id: number; readonly paths: readonly TreePath[] }
  | { readonly kind: 'closeAll' };

interface DirectoryHandlesOptions {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** A private directory for the cookies of the fence. The directory does not exist yet. */
  readonly fenceDirectory: string;
  readonly changes: ChangeLog;
  /** Called when handles can be opened. */
  readonly onReady?: (() => void) | undefined;
  /**
   * Closes chokidar's watches. Called when the system's limit on watches is reached. Undefined when chokidar has no
   * watches.
   */
  readonly makeRoom?: (code: string) => Promise<void> | undefined;
  /** The program of the thread. A test passes another program. */
  readonly program?: URL;
  /** The longest wait in ms for the start of the thread; default 500. A test waits longer. */
  readonly startMsMax?: number;
  readonly log: Log;
}

interface Request {
  readonly paths: readonly TreePath[];
  readonly answer: (missing: readonly TreePath[]) => void;
}

/** The number of handles that the thread opens before it reads the kernel's queue again. */
const openedAtOnce = 500;
/** The longest wait in ms for the start of the thread, which usually takes less than 100 ms. */
const defaultStartMs = 500;

export class DirectoryHandles {
  readonly changes: ChangeLog;
  readonly #options: DirectoryHandlesOptions;
  readonly #fence: Fence;
  readonly #thread: WatchThread<FromHandles>;
  readonly #requests = new Map<number, Request>();
  #count = 0;
  /**
   * Counts how often the thread was ended. The count ensures that a failed fence does not end a thread that was started
   * after the fence.
   */
  #stops = 0;
  #isReady = false;
  #isClosed = false;
  /** Called when {@link isReady} becomes true, or when the thread ends before that. */
  readonly #whenStarted = new Set<() => void>();

  constructor(options: DirectoryHandlesOptions) {
    this.#options = options;
    this.changes = options.changes;
    this.#fence = new Fence(options.fenceDirectory);
    const { program = new URL('./handles-thread.js', import.meta.url) } = options;
    this.#thread = new WatchThread(
      { name: 'handles', program, heapMb: 256 },
      {
        onMessage: (message) => this.#onMessage(message),
        onFailure: (reason) => this.#failed(reason),
      },
    );
  }

  /** True when handles can be opened now. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Resolves to true as soon as handles can be opened. Resolves to false when the thread is not running, fails, or does
   * not start in time.
   */
  async whenReady(): Promise<boolean> {
    if (this.#isReady || !this.#thread.isRunning) return this.#isReady;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.startMsMax ?? defaultStartMs).unref();
      this.#whenStarted.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    return this.#isReady;
  }

  /** Starts the thread. {@link isReady} becomes true when the thread works. */
  start(): void {
    if (this.#thread.isRunning || this.#isClosed || process.platform !== 'linux') return;
    const fence = this.#fence.prepare();
    if (fence === undefined)
      return this.#failed('the disk has no space for the file with which the daemon checks the handles');
    const order: HandlesOrder = { root: this.#options.root, fence };
    this.#thread.start(order);
  }

  /**
   * Opens handles on directories, parents first, before a capture reads these directories. Resolves with the
   * directories that got no handle.
   */
  async open(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    const missing: TreePath[] = [];
    for (let from = 0; from < paths.length; from += openedAtOnce)
      for (const path of await this.#open(paths.slice(from, from + openedAtOnce))) missing.push(path);
    return missing;
  }

  #open(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    if (!this.#isReady) return Promise.resolve(paths);
    this.#count += 1;
    const id = this.#count;
    return new Promise((answer) => {
      this.#requests.set(id, { paths, answer });
      this.#say({ kind: 'open', id, paths });
    });
  }

  /** Resolves to true once {@link changes} has every change that was made before this call. */
  async fence(): Promise<boolean> {
    if (!this.#isReady) return false;
    const stops = this.#stops;
    const isPassed = await this.#fence.pass();
    // Perhaps the directory of the fence has disappeared, or the machine was suspended. Stops the thread, so that no
    // later capture waits for a fence that fails.
    if (!isPassed && stops === this.#stops) {
      this.#thread.closeThread(); // a file system that hangs may block the thread
      this.#failed('the handles did not report a test change in time');
    }
    return isPassed;
  }

  /** Closes all handles. A later capture opens new handles. */
  closeAll(): void {
    this.changes.lose('suspect');
    this.#say({ kind: 'closeAll' });
  }

  /** Resolves when no handle and no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
    this.#fence.remove();
  }

  #onMessage(message: FromHandles): void {
    switch (message.kind) {
      case 'up':
        this.#isReady = true;
        this.changes.begin();
        this.#endStart();
        this.#options.onReady?.();
        return;
      case 'marks':
        for (const path of message.paths) this.changes.mark(path, 'handles');
        if (message.isEverything) this.changes.lose('overflow');
        return this.#say({ kind: 'taken' });
      case 'fence':
        return this.#fence.read(message.cookie);
      case 'opened':
        this.#requests.get(message.id)?.answer(message.missing);
        this.#requests.delete(message.id);
        return;
      case 'limit':
        this.#atLimit(message.code);
    }
  }

  #say(message: ToHandles): void {
    this.#thread.say(message);
  }

  #atLimit(code: string): void {
    const room = this.#options.makeRoom?.(code);
    if (room !== undefined) return void Promise.all([this.#stop(), room]).then(() => this.start());
    this.#options.log.warn(
      `Every capture looks at the whole work tree: ${reachedLimit(code)}. ${remedyOf(code)}`,
    );
    this.#isClosed = true;
    void this.#stop();
  }

  /** Restarts after a pause. Until the restart, captures scan the whole tree. */
  #failed(reason: string): void {
    if (this.#isClosed) return;
    this.#options.log.info(`The handles on directories are opened again: ${reason}.`);
    void this.#stop();
    this.#thread.startLater(() => this.start());
  }

  async #stop(): Promise<void> {
    this.#stops += 1;
    this.#isReady = false;
    this.changes.end('unwatched');
    this.#fence.giveUp();
    for (const { paths, answer } of this.#requests.values()) answer(paths);
    this.#requests.clear();
    this.#endStart();
    await this.#thread.stop();
  }

  #endStart(): void {
    for (const started of this.#whenStarted) started();
    this.#whenStarted.clear();
  }
}

// The fence proves that every change made before the fence is in the change log. One thread has the directory handles.
// This thread watches the work tree, and also a private directory with a cookie file. To pass the fence, the daemon
// renames the cookie, which takes a third of the time of making a file. The kernel queues the event of a change within
// the system call that makes the change. All watches of one event loop share one queue, and the thread forwards events
// in the order of that queue. So once the cookie's event has arrived, all earlier events have arrived, too. Linux only.
// The fence proves nothing after the queue has overflowed. The kernel does not report some changes: by mmap, through a
// hard link outside the tree, or on a remote host. The fence proves nothing about these changes.

/**
 * The longest wait for the event of a cookie. Usually the event arrives within 0.1 ms, and on a busy machine within a
 * few milliseconds. If the event does not arrive in time, the fence has failed.
 */
const waitMsMax = 1000;

class Fence {
  readonly #directory: string;
  readonly #waiting = new Map<string, (isPassed: boolean) => void>();
  #count = 0;
  /** The path of the cookie, which exists after the first fence. */
  #cookie: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#cookie = join(directory, '0');
  }

  /** Makes an empty directory for the cookie. Returns undefined when no fence is possible on this system. */
  prepare(): string | undefined {
    if (process.platform !== 'linux') return undefined;
    return attempt(isOfSystem, () => {
      files.rmSync(this.#directory, { recursive: true, force: true });
      files.mkdirSync(this.#directory, { mode: 0o700 });
      return this.#directory;
    });
  }

  /**
   * Resolves to true when the handles have reported every change before this call. Resolves to false when the time
   * limit passes first. The wait does not keep the process alive.
   */
  pass(): Promise<boolean> {
    this.#count += 1;
    const name = String(this.#count);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answer(name, false), waitMsMax).unref();
      this.#waiting.set(name, (isPassed) => {
        clearTimeout(timer);
        resolve(isPassed);
      });
      try {
        this.#moveCookie(join(this.#directory, name));
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
        this.#answer(name, false);
      }
    });
  }

  /** Resolves the fence of a cookie, because the thread has read the cookie's event. */
  read(name: string): void {
    this.#answer(name, true);
  }

  /** Resolves all waiting fences to false, because the thread reads no more cookies. */
  giveUp(): void {
    for (const name of this.#waiting.keys()) this.#answer(name, false);
  }

  remove(): void {
    this.giveUp();
    // Ignores an error: the end of the session will fail for the same reason, and report the error.
    attempt(isOfSystem, () => files.rmSync(this.#directory, { recursive: true, force: true }));
  }

  /** Renames the cookie. If there is no cookie yet, makes one. The kernel reports either change. */
  #moveCookie(to: string): void {
    try {
      files.renameSync(this.#cookie, to);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      files.closeSync(files.openSync(to, 'wx', 0o600));
    }
    this.#cookie = to;
  }

  #answer(name: string, isPassed: boolean): void {
    const resolve = this.#waiting.get(name);
    this.#waiting.delete(name);
    resolve?.(isPassed);
  }
}
