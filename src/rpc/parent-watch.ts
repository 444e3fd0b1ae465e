// Detects that the client has died even if the input does not end. The input stays open when another process also has
// the pipe open. Before this watch existed, daemons ran for 36 minutes after the death of their client. The watch uses
// only process ids. If the system gives the client's id to a new process, the client seems to be alive. So the end of
// the input remains the main sign that the client has gone.
import { isAlive } from '../base/process-lock.ts';

export interface ParentWatchPorts {
  /** The client's process id, which `initialize` or the command line gave. */
  readonly processId?: number | undefined;
  /** True to watch whether this process gets a new parent. Used with stdio, where the client is the parent process. */
  readonly watchOwnParent: boolean;
  readonly onGone: () => void;
  readonly intervalMs?: number;
  readonly isAlive?: (processId: number) => boolean;
  readonly parentOf?: () => number;
}

/**
 * Polls once a second, and calls `onGone` once. Returns a function that ends the watch. Does not watch a process id
 * that is invisible at the start, because the client may run in a different container.
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
