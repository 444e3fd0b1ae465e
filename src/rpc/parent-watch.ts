// Notices that the client has died although the input did not end. A sibling process may have the pipe's
// other end open. (Without this watch, daemons lived on for 36 minutes.) Watches only process ids. A reused
// id looks alive, so the end of input remains the first sign.
import { isAlive } from '../base/process-lock.ts';

export interface ParentWatchPorts {
  /** The client's process id, from `initialize` or the command line. */
  readonly processId?: number;
  /** True to notice that our own parent changed. Suitable for stdio, where the client is the parent process. */
  readonly watchOwnParent: boolean;
  readonly onGone: () => void;
  readonly intervalMs?: number;
  readonly isAlive?: (processId: number) => boolean;
  readonly parentOf?: () => number;
}

/**
 * Polls once a second and calls `onGone` once. Returns a function that ends the watch. A process id that is invisible
 * now is not watched: the client may run in another container.
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
