// Starts a process through execa where descriptors may have run out. Then Node hands out a process without pipes, at
// which execa stumbles before it listens; what was the matter comes as an event, which nobody hears and which would
// end the daemon with all its sessions. Every other error of a start execa tells by itself.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const channel = 'child_process';

/** @throws EMFILE, as a call of the system would, where no descriptor is left for the pipes. */
export function begun<Started>(program: string, start: () => Started): Started {
  let child: ChildProcess | undefined;
  const note = (message: unknown): void => {
    child = (message as { readonly process: ChildProcess }).process;
  };
  subscribe(channel, note);
  try {
    return start();
  } catch (error) {
    if (!(error instanceof TypeError) || child === undefined || child.pid !== undefined) throw error;
    // Told here already.
    child.once('error', () => undefined);
    const told = new Error(`EMFILE: too many open files, spawn ${program}`, { cause: error });
    throw Object.assign(told, { code: 'EMFILE', syscall: `spawn ${program}` });
  } finally {
    unsubscribe(channel, note);
  }
}
