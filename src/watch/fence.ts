// The fence: the proof that every change made before it has been told. A cookie file in a private directory of ours,
// which the watcher's thread watches beside the work tree, gets a name that it never had (a third of the work of making
// a file): the kernel queues an event inside the system call that causes it, all watches of one event loop share one
// queue, and the thread sends on in that order. Linux only; it proves nothing of changes that the kernel never tells
// (mmap, a hard link elsewhere, a remote host), nor of a queue that overflowed, which the watcher finds out by other
// means.
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';

/** The cookie takes a tenth of a millisecond, and a few where the machine is busy; after this the answer is no. */
const waitMsMax = 1000;

export class Fence {
  readonly #directory: string;
  readonly #waiting = new Map<string, (isPassed: boolean) => void>();
  #count = 0;
  /** Where the cookie is, once there was a fence. */
  #cookie: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#cookie = join(directory, '0');
  }

  /** Makes the directory, empty; undefined where there is no fence, or no room for one. */
  prepare(): string | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      files.rmSync(this.#directory, { recursive: true, force: true });
      files.mkdirSync(this.#directory, { mode: 0o700 });
      return this.#directory;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  /** True once every earlier change has been told; false when that cannot be proven in time. Keeps nothing alive. */
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

  /** The thread has read this cookie's event. */
  read(name: string): void {
    this.#answer(name, true);
  }

  /** Nobody reads cookies any more. */
  giveUp(): void {
    for (const name of this.#waiting.keys()) this.#answer(name, false);
  }

  /** Removes the directory. */
  remove(): void {
    this.giveUp();
    try {
      files.rmSync(this.#directory, { recursive: true, force: true });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      // Empty, and emptied again by the next watch: what hinders us will hinder the session's end, which says so.
    }
  }

  /** Where there is none, one is made: that is told as well. */
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
