// Returns unused memory to the system while the daemon is at rest. V8 collects garbage only when the program allocates
// memory. So after the first capture of a large work tree, a daemon at rest would keep the garbage of this capture.
// Collects only young objects and their buffers, which takes some milliseconds. A collection of the whole heap would
// block the event loop for too long.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const quietMsUsual = 10_000;
/** A collection for less growth than this number of bytes would cost more than it returns. */
const grownBytesMin = 32 << 20;

export class QuietMemory {
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  /** The size of the heap after the last collection. */
  #bytesThen = 0;

  constructor(quietMs = quietMsUsual) {
    this.#quietMs = quietMs;
  }

  /** Called when a request begins. */
  began(): void {
    this.#running += 1;
    clearTimeout(this.#timer);
  }

  /** Called when a request ends. When no request follows for some time, and the heap has grown, collects garbage. */
  ended(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#timer = setTimeout(() => this.#collect(), this.#quietMs).unref();
  }

  #collect(): void {
    if (usedBytes() - this.#bytesThen < grownBytesMin) return;
    collectYoung();
    this.#bytesThen = usedBytes();
  }
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

function collectYoung(): void {
  setFlagsFromString('--expose-gc');
  try {
    const collect = runInNewContext('gc') as (how: { readonly type: 'minor' }) => void;
    collect({ type: 'minor' });
  } finally {
    setFlagsFromString('--no-expose-gc'); // V8 refuses recorded code that was compiled under other flags
  }
}
