// The fence proves that every change made before the fence is in the change log. The thread of the directory handles
// watches the work tree and a private directory with a cookie file. To pass the fence, the daemon renames the cookie,
// which is a third of the work of making a file. The kernel queues an event inside the system call that causes it. All
// watches of one event loop share one queue, and the thread forwards events in the order of that queue. Linux only. The
// fence proves nothing after the queue has overflowed. It also proves nothing about changes that the kernel does not
// report (by mmap, through a hard link outside, on a remote host).
import { join } from 'node:path';
import { attempt, isOfSystem } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';

/**
 * The longest wait for the event of a cookie. Usually the event arrives in 0.1 ms, and on a busy machine in some
 * milliseconds. Without the event in time, the fence has failed.
 */
const waitMsMax = 1000;

export class Fence {
  readonly #directory: string;
  readonly #waiting = new Map<string, (isPassed: boolean) => void>();
  #count = 0;
  /** The path of the cookie, which exists after the first fence. */
  #cookie: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#cookie = join(directory, '0');
  }

  /** Makes an empty directory for the cookie. Returns undefined when no fence is possible. */
  prepare(): string | undefined {
    if (process.platform !== 'linux') return undefined;
    return attempt(isOfSystem, () => {
      files.rmSync(this.#directory, { recursive: true, force: true });
      files.mkdirSync(this.#directory, { mode: 0o700 });
      return this.#directory;
    });
  }

  /**
   * Resolves to true when the handles have reported every earlier change. Resolves to false when there is no proof of
   * this in time. The wait does not keep the process alive.
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

  /** Resolves the fence for which the thread has read the cookie's event. */
  read(name: string): void {
    this.#answer(name, true);
  }

  /** Resolves all waiting fences to false, because the thread reads no more cookies. */
  giveUp(): void {
    for (const name of this.#waiting.keys()) this.#answer(name, false);
  }

  remove(): void {
    this.giveUp();
    // Ignores an error: the same error makes the end of the session fail, and is then reported.
    attempt(isOfSystem, () => files.rmSync(this.#directory, { recursive: true, force: true }));
  }

  /** Renames the cookie, or makes a cookie. The kernel reports both changes. */
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
