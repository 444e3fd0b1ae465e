// The thread of the directories that captures hold (watch/held/held-directories.ts). Its loop does nothing else, so the
// kernel's queue is read at once and a fence is passed in a moment, whatever chokidar or the daemon are busy with.
import { parentPort, workerData } from 'node:worker_threads';
import { systemCode } from '../../base/errors.ts';
import { watchDirectory } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { probeLoop } from '../thread/loop-probe.ts';
import { MarksToTell } from '../thread/marks-to-tell.ts';
import { HeldDirectories } from './held-directories.ts';
import type { FromHeld, HeldOrder, ToHeld } from './held-messages.ts';

class HeldThread {
  readonly #order: HeldOrder;
  readonly #send: (message: FromHeld) => void;
  readonly #directories: HeldDirectories;
  readonly #marks: MarksToTell;
  #eventsInTurn = 0;

  constructor(order: HeldOrder, send: (message: FromHeld) => void) {
    this.#order = order;
    this.#send = send;
    this.#marks = new MarksToTell((paths, isEverything) => send({ kind: 'marks', paths, isEverything }));
    this.#directories = new HeldDirectories(order.root, {
      counted: () => this.#count(),
      changed: (path) => {
        if (!this.#marks.add(path)) this.#everything();
      },
      failed: (error) => this.#failed(error),
    });
  }

  start(): void {
    const cookies = watchDirectory(this.#order.fence, (_type, cookie) => {
      if (cookie === null) return;
      this.#marks.tellNow();
      this.#send({ kind: 'fence', cookie });
    });
    cookies.on('error', (error) => this.#failed(error));
    probeLoop(() => this.#everything());
    this.#send({ kind: 'up' });
  }

  hear(message: ToHeld): void {
    switch (message.kind) {
      case 'taken':
        return this.#marks.taken();
      case 'hold':
        return this.#hold(message.id, message.paths);
      case 'release':
        return this.#directories.release();
    }
  }

  #hold(id: number, paths: readonly TreePath[]): void {
    let missing = paths;
    try {
      missing = this.#directories.hold(paths);
    } catch (error) {
      this.#failed(error);
    }
    this.#marks.tellNow();
    this.#send({ kind: 'held', id, missing });
  }

  #failed(error: unknown): void {
    this.#directories.release();
    this.#send({ kind: 'limit', code: systemCode(error) ?? String(error) });
  }

  /** The kernel drops events without a word, so a turn with many of them counts as one where some were dropped. */
  #count(): void {
    if (this.#eventsInTurn === 0) setImmediate(() => (this.#eventsInTurn = 0));
    this.#eventsInTurn += 1;
    if (this.#eventsInTurn === this.#order.eventsMax) this.#everything();
  }

  /** What is held may have been replaced without a word. */
  #everything(): void {
    this.#directories.release();
    this.#marks.everything();
  }
}

const port = parentPort;
invariant(port !== null, 'this file is the start of a thread');
const thread = new HeldThread(workerData as HeldOrder, (message) => port.postMessage(message));
port.on('message', (message: ToHeld) => thread.hear(message));
thread.start();
