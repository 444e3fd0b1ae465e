// Connects a client to an existing session, either in the daemon that has the session open or in a new daemon. Waits
// while a different client is opening or leaving the session. Other modules decide which session to use.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AttachOptions,
  CheckpointdClient,
  CheckpointdGoneError,
  CheckpointdRequestError,
} from '../client/client.ts';
import { UntrustedSocketError } from '../client/daemon-socket.ts';
import type { SessionOpenParams, SessionOpenResult } from '../protocol/types.ts';

const pauseMs = 50;

/**
 * Repeats the attempt until the session is no longer busy. @throws StoreBusy when the session is still busy after
 * `patienceMs`
 */
export async function whileBusy<T>(patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || performance.now() > endMs) throw error;
      await delay(pauseMs);
    }
  }
}

/**
 * True for an error that may disappear when the request is repeated. For example, a daemon that is shutting down
 * refuses every request as invalid.
 */
function isPassing(error: unknown): boolean {
  return (
    error instanceof CheckpointdRequestError &&
    ['StoreBusy', 'StoreUnavailable', 'InvalidRequest'].includes(error.kind)
  );
}

/**
 * Connects to the daemon at a socket, for example the daemon that has a session open. Returns undefined when no daemon
 * answers. If the socket is not trusted, passes the reason to `report`.
 */
export async function daemonAt(
  socket: string | undefined,
  options: AttachOptions,
  report: (why: string) => void = () => undefined,
): Promise<CheckpointdClient | undefined> {
  if (socket === undefined) return undefined;
  try {
    return await CheckpointdClient.attach(socket, options);
  } catch (error) {
    if (!(error instanceof CheckpointdGoneError)) throw error;
    if (error instanceof UntrustedSocketError) report(error.message);
    return undefined;
  }
}

/** Opens a session. Passes the warnings of the opening to `report`; a warning also reports a recovered restore. */
export async function openAndReport(
  client: CheckpointdClient,
  params: SessionOpenParams,
  report: (what: string) => void,
): Promise<SessionOpenResult> {
  const opened = await client.request('session/open', params);
  for (const warning of opened.warnings ?? []) report(warning);
  return opened;
}
