// Runs in the thread that has the directory handles (handle-tree.ts) of all sessions. This thread's event loop does
// nothing else, so it reads the kernel's queue at once. A fence therefore passes quickly, even when chokidar or the
// daemon is busy.
import { systemCode } from '../base/errors.ts';
import { watchDirectory } from '../base/files.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { FromHandles, HandlesOrder, ToHandles } from './directory-handles.ts';
import { HandleTree } from './handle-tree.ts';
import type { LoopProbe } from './loop-probe.ts';
import { MarkQueue } from './mark-queue.ts';
import { serveSeats, type WatchedSeat } from './thread-seats.ts';

class HandlesSeat implements WatchedSeat<ToHandles> {
  readonly #send: (message: FromHandles) => void;
  readonly #queue: MarkQueue;
  readonly #handles: HandleTree;
  readonly #cookies: ReturnType<typeof watchDirectory>;

  constructor(order: HandlesOrder, send: (message: FromHandles) => void, probe: LoopProbe) {
    this.#send = send;
    this.#queue = new MarkQueue({
      send: (paths, isEverything) => send({ kind: 'marks', paths, isEverything }),
      onFull: () => this.lose(),
    });
    this.#handles = new HandleTree(order.root, {
      counted: () => probe.count(),
      changed: (path) => this.#queue.add(path),
      failed: (error) => this.#failed(error),
    });
    // This event loop also watches the fence's directory. So in the kernel's queue, a cookie's event comes after the
    // events of all earlier changes.
    this.#cookies = watchDirectory(order.fence, (_type, cookie) => {
      if (cookie === null) return;
      this.#queue.flush();
      send({ kind: 'fence', cookie });
    });
    this.#cookies.on('error', (error) => this.#failed(error));
    send({ kind: 'up' });
  }

  hear(message: ToHandles): void {
    if (message.kind === 'taken') this.#queue.taken();
    else if (message.kind === 'open') this.#open(message.id, message.paths);
    else this.#handles.closeAll();
  }

  lose(): void {
    this.#handles.closeAll(); // one of the lost events may have been about a replaced directory
    this.#queue.everything();
  }

  async close(): Promise<void> {
    this.#cookies.close();
    this.#handles.closeAll();
    await this.#handles.closed();
  }

  #open(id: number, paths: readonly TreePath[]): void {
    let missing = paths;
    try {
      missing = this.#handles.open(paths);
    } catch (error) {
      this.#failed(error);
    }
    this.#queue.flush();
    this.#send({ kind: 'opened', id, missing });
  }

  #failed(error: unknown): void {
    this.#handles.closeAll();
    this.#send({ kind: 'limit', code: systemCode(error) ?? String(error) });
  }
}

serveSeats<HandlesOrder, ToHandles, FromHandles>((order, send, probe) => new HandlesSeat(order, send, probe));
