// Notices that the client has died although the input did not end: a sibling process may hold the pipe's other end
// open, and orphans of 36 minutes were seen. It watches process ids only; a reused id looks alive, so the end of
// input stays the first sign.
import { isAlive } from '../base/process-lock.ts';

export interface ParentWatchPorts {
  /** The client's process id, from `initialize` or the command line. */
  readonly processId?: number;
  /** Whether to notice that our own parent changed. Right for stdio, where the client started us. */
  readonly watchOwnParent: boolean;
  readonly onGone: () => void;
  readonly intervalMs?: number;
  readonly isAlive?: (processId: number) => boolean;
  readonly parentOf?: () => number;
}

/**
 * Polls once a second and calls `onGone` once; returns what ends the watch. A process id that cannot be seen now
 * is not watched: the client may live in another container.
 */
export function watchParent(ports: ParentWatchPorts): () => void {
  const alive = ports.isAlive ?? isAlive;
  const parentOf = ports.parentOf ?? ((): number => process.ppid);
  const { processId } = ports;
  const watched = processId !== undefined && processId > 0 && alive(processId) ? processId : undefined;
  const parent = parentOf();
  const isGone = (): boolean =>
    (watched !== undefined && !alive(watched)) || (ports.watchOwnParent && parentOf() !== parent);
  const timer = setInterval(() => {
    if (!isGone()) return;
    clearInterval(timer);
    ports.onGone();
  }, ports.intervalMs ?? 1000);
  timer.unref();
  return () => clearInterval(timer);
}
