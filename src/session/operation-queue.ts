// The queue of a session runs one mutation at a time, in the order of arrival. The queue has a limit: it refuses a
// flood of requests instead of storing them. A waiting operation can be cancelled. When an operation breaks an
// invariant, the queue is poisoned: it refuses all operations, because they would build on an unexplained state. The
// queue does not limit the time of a running operation, and does not know what the operation does.
import { CheckpointdError } from '../base/errors.ts';
import { InvariantViolation } from '../base/invariant.ts';

const lengthMax = 256;

export interface QueueFigures {
  /** The name of the running operation, which the caller gave. */
  readonly running: string | undefined;
  readonly waiting: number;
  /** The maximum number of waiting operations. The queue refuses further operations. */
  readonly capacity: number;
  readonly completed: number;
  readonly poisoned: boolean;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

export class OperationQueue {
  readonly #waiting: Waiting[] = [];
  readonly #onPoison: (because: InvariantViolation) => void;
  #running: Promise<unknown> | undefined;
  #runningName: string | undefined;
  #completed = 0;
  #poison: InvariantViolation | undefined;
  #closed = false;
  /** Aborts the running operation of {@link runPreemptible}. Undefined when no such operation runs. */
  #preemptible: AbortController | undefined;

  /**
   * `onPoison` is called once, when an operation has broken an invariant. The process should then end, so that the next
   * start runs a recovery.
   */
  constructor(onPoison: (because: InvariantViolation) => void = () => undefined) {
    this.#onPoison = onPoison;
  }

  get figures(): QueueFigures {
    return {
      running: this.#runningName,
      waiting: this.#waiting.length,
      capacity: lengthMax,
      completed: this.#completed,
      poisoned: this.#poison !== undefined,
    };
  }

  /**
   * Runs `operation` after all operations that arrived before it.
   *
   * `name` is the name of the operation in {@link figures}. The signal cancels an operation that is still
   * waiting. A running operation checks the signal itself.
   * @throws ServerBusy when the queue is full, StoreUnavailable when it is closed or poisoned, AbortError.
   */
  run<T>(operation: () => Promise<T>, signal?: AbortSignal, name?: string): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#poison !== undefined) return Promise.reject(poisonedError(this.#poison));
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#running !== undefined && this.#waiting.length >= lengthMax) {
      const message = `This session already has ${lengthMax} operations waiting. Wait for answers and try again.`;
      return Promise.reject(new CheckpointdError('ServerBusy', message, { retryable: true }));
    }
    this.#preemptible?.abort();
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => {
        const position = this.#waiting.indexOf(entry);
        if (position < 0) return;
        this.#waiting.splice(position, 1);
        reject(signal?.reason);
      };
      const entry: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          this.#runningName = name;
          const done = this.#execute(operation).then(resolve, reject);
          this.#running = done.then(() => this.#next());
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (this.#running === undefined) entry.start();
      else this.#waiting.push(entry);
    });
  }

  /**
   * Runs `operation` in its turn. Aborts the signal of `operation` when a second operation waits, or when the queue
   * closes. If the queue is already closed or poisoned, does not run `operation` and resolves to undefined.
   */
  async runPreemptible<T>(
    operation: (signal: AbortSignal) => Promise<T>,
    name?: string,
  ): Promise<T | undefined> {
    if (this.#closed || this.#poison !== undefined) return undefined;
    const preemptible = new AbortController();
    let hasBegun = false;
    const running = async (): Promise<T> => {
      hasBegun = true;
      this.#preemptible = preemptible;
      if (this.#waiting.length > 0) preemptible.abort();
      try {
        return await operation(preemptible.signal);
      } finally {
        this.#preemptible = undefined;
      }
    };
    try {
      return await this.run(running, undefined, name);
    } catch (error) {
      if (this.#closed && !hasBegun) return undefined;
      throw error;
    }
  }

  /** Refuses all waiting and all new operations. Resolves when the running operation has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#preemptible?.abort();
    for (const entry of this.#waiting.splice(0)) entry.refuse(closedError());
    await this.#running;
  }

  /** Closes the queue as {@link close} does. The returned function opens the queue again. */
  async pause(): Promise<() => void> {
    await this.close();
    return () => {
      this.#closed = false;
    };
  }

  async #execute<T>(operation: () => Promise<T>): Promise<T> {
    try {
      const result = await operation();
      this.#completed += 1;
      return result;
    } catch (error) {
      if (error instanceof InvariantViolation && this.#poison === undefined) {
        this.#poison = error;
        for (const entry of this.#waiting.splice(0)) entry.refuse(poisonedError(error));
        this.#onPoison(error);
      }
      throw error;
    }
  }

  #next(): void {
    this.#running = undefined;
    this.#runningName = undefined;
    this.#waiting.shift()?.start();
  }
}

function closedError(): CheckpointdError {
  return new CheckpointdError(
    'StoreUnavailable',
    'The session is being closed. Open the session again to continue.',
    {
      retryable: true,
    },
  );
}

function poisonedError(cause: InvariantViolation): CheckpointdError {
  const message =
    'An internal check failed in this session, so it refuses changes. Reading still works. Restart the daemon; the next opening recovers the session.';
  return new CheckpointdError('StoreUnavailable', message, { cause });
}
