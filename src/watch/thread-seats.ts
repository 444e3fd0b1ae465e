// Serves several sessions in one watching thread. Each session has a seat: a watched work tree with its own messages.
// This code runs in the watching thread; watch-thread.ts runs in the main thread.
import { parentPort } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';
import { invariant } from '../base/invariant.ts';
import { LoopProbe, type LossCause } from './loop-probe.ts';
import type { FromThread, ToThread } from './watch-thread.ts';

export interface WatchedSeat<To> {
  hear(message: To): void;
  /** Called when events of this seat may have been lost. */
  lose(cause: LossCause): void;
  /** Closes all handles. Resolves when no handle is left. */
  close(): Promise<void>;
}

/** Opens the seat of one session. If the function throws, only this seat fails. */
type OpenSeat<Order, To, From> = (
  order: Order,
  send: (message: From) => void,
  probe: LoopProbe,
) => WatchedSeat<To>;

/** Serves the sessions that enter this thread, until the main thread ends the thread. */
export function serveSeats<Order, To, From>(open: OpenSeat<Order, To, From>): void {
  const port = parentPort;
  invariant(port !== null, 'the program of a watching thread was started outside a worker thread');
  const send = (message: FromThread<From>): void => port.postMessage(message);
  const seats = new Map<number, WatchedSeat<To>>();
  const probe = new LoopProbe((cause) => {
    for (const seat of seats.values()) seat.lose(cause);
  });
  const enter = (id: number, order: Order): void => {
    try {
      seats.set(
        id,
        open(order, (message) => send({ kind: 'message', seat: id, message }), probe),
      );
    } catch (error) {
      send({ kind: 'refused', seat: id, code: systemCode(error) ?? String(error) });
    }
  };
  const leave = async (id: number): Promise<void> => {
    const seat = seats.get(id);
    seats.delete(id);
    await seat?.close();
    send({ kind: 'left', seat: id });
  };
  port.on('message', (message: ToThread<Order, To>) => {
    probe.busy();
    if (message.kind === 'enter') enter(message.seat, message.order);
    else if (message.kind === 'leave') void leave(message.seat);
    else seats.get(message.seat)?.hear(message.message);
  });
  probe.start();
}
