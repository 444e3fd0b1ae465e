// The composition root: builds every part of the daemon and owns the order in which it stops. Knows no framing and
// no process: streams, signals and exit codes are main.ts's and rpc/'s.
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Log } from './base/log.ts';
import type { EndReason } from './rpc/ending.ts';
import { checkpointHandlers } from './rpc/handlers/checkpoint.ts';
import { conversationHandlers } from './rpc/handlers/conversation.ts';
import { sessionEvents } from './rpc/handlers/events.ts';
import { ledgerHandlers } from './rpc/handlers/ledger.ts';
import { lookHandlers } from './rpc/handlers/look.ts';
import { manageHandlers } from './rpc/handlers/manage.ts';
import { operationHandlers } from './rpc/handlers/operation.ts';
import { restoreHandlers } from './rpc/handlers/restore.ts';
import { sessionHandlers } from './rpc/handlers/session.ts';
import { storeHandlers } from './rpc/handlers/store.ts';
import type { Daemon, Notify } from './rpc/server.ts';
import type { EndKind } from './session/end.ts';
import { Sessions } from './session/sessions.ts';

export interface DaemonOptions {
  readonly notify: Notify;
  readonly log: Log;
  /** Where sessions live unless one says otherwise; default `$XDG_STATE_HOME/checkpointd`. */
  readonly storageDirectory?: string;
  /** How long an orphan is left to whoever wants to resume it, ms. */
  readonly orphanGraceMs?: number;
  /** Told when an internal check failed: the process should end and let the next one recover. */
  readonly onPoison: (because: Error) => void;
}

/** Who ends it decides what may be removed (ruling 25): a client's or a person's word, or the loss of the client. */
const endKinds: Readonly<Record<EndReason, EndKind>> = {
  shutdown: 'orderly',
  signal: 'orderly',
  exit: 'abrupt',
  endOfInput: 'abrupt',
  parentDeath: 'abrupt',
  framing: 'abrupt',
  failure: 'abrupt',
};

/** Builds a daemon that serves requests through its handlers. Starts nothing but the clock of the idle sweep: what is heavy is loaded when used. */
export function createDaemon(options: DaemonOptions): Daemon {
  const storage = options.storageDirectory ?? defaultStorageDirectory();
  const sessions = new Sessions({
    surroundings: {
      events: sessionEvents(options.notify, options.log),
      log: options.log,
      onPoison: options.onPoison,
    },
    defaultStorage: storage,
    ...(options.orphanGraceMs === undefined ? {} : { orphanGraceMs: options.orphanGraceMs }),
    log: options.log,
  });
  sessions.sweepLater();
  return {
    handlers: {
      ...sessionHandlers(sessions, { storage }),
      ...checkpointHandlers(sessions),
      ...manageHandlers(sessions),
      ...restoreHandlers(sessions),
      ...lookHandlers(sessions),
      ...ledgerHandlers(sessions),
      ...storeHandlers(sessions),
      ...operationHandlers(sessions),
      ...conversationHandlers(sessions),
    },
    stop: (reason) => sessions.closeAll(endKinds[reason]),
    finish: () => sessions.deletionsDone(),
    abandon: () => sessions.abandonAll(),
  };
}

/** `$XDG_STATE_HOME/checkpointd`, or where that stands when the variable is not set. */
export function defaultStorageDirectory(): string {
  const state = process.env.XDG_STATE_HOME;
  const root = state?.startsWith('/') ? state : join(homedir(), '.local', 'state');
  return join(root, 'checkpointd');
}
