// Builds all parts of the daemon, and controls the order of the shutdown. main.ts and rpc/ handle streams, signals and
// exit codes.
import type { Log } from './base/log.ts';
import { Turns } from './base/turns.ts';
import { sessionEvents } from './commands/answers/announce.ts';
import type { DaemonParts, Request } from './commands/command.ts';
import { execute } from './commands/execute.ts';
import { commands } from './commands/table.ts';
import type { Handlers } from './rpc/dispatch.ts';
import type { EndReason } from './rpc/ending.ts';
import type { Notify, ServedDaemon } from './rpc/server.ts';
import { OperationRecords } from './session/operations.ts';
import type { EndKind } from './session/reason-to-stay.ts';
import { Sessions } from './session/sessions.ts';
import type { Client } from './session/shares.ts';
import { StorageOperations } from './session/storage-operations.ts';
import { defaultStorage } from './wire/places.ts';

interface DaemonOptions {
  readonly notify: Notify;
  readonly log: Log;
  /**
   * The storage directory for sessions whose client names no storage directory. Default: `$XDG_STATE_HOME/checkpointd`.
   */
  readonly storageDirectory?: string;
  /** How long an orphaned session is kept, in ms, so that a client can resume it. */
  readonly orphanGraceMs?: number | undefined;
  /**
   * The socket on which this daemon accepts further clients. The daemon writes the path of the socket to `owner.json`
   * of each session.
   */
  readonly socket?: string | undefined;
  /**
   * True to keep a session with retention `keep` open after its last client has left, until a different process claims
   * the session.
   */
  readonly keepsOpen?: boolean;
  /**
   * True to watch a work tree as soon as its session is open. If false, the daemon starts to watch when the first
   * client leaves or a second client comes. Default: true.
   */
  readonly watches?: boolean;
  /** Called after an internal check has failed. The process should then end, so that the next process can recover. */
  readonly onPoison: (because: Error) => void;
}

/** A daemon with its sessions, for programs that run the daemon in their own process. */
export interface Daemon extends ServedDaemon {
  readonly sessions: Sessions;
}

/**
 * Maps each reason for the daemon's end to the kind of end. The kind decides which sessions may be removed. An end is
 * `orderly` if a client or a person wanted it, and `abrupt` if the daemon lost its client or failed.
 */
const endKinds: Readonly<Record<EndReason, EndKind>> = {
  shutdown: 'orderly',
  signal: 'orderly',
  exit: 'abrupt',
  endOfInput: 'abrupt',
  parentDeath: 'abrupt',
  framing: 'abrupt',
  failure: 'abrupt',
  idle: 'orderly',
};

/**
 * Builds a daemon that serves requests through its handlers. Starts no work except the sweep of the storage. Loads
 * large modules only at their first use.
 */
export function createDaemon(options: DaemonOptions): Daemon {
  const storage = options.storageDirectory ?? defaultStorage();
  const sessions = new Sessions({
    surroundings: {
      events: sessionEvents(options.notify, options.log),
      log: options.log,
      onPoison: options.onPoison,
      terms: { socket: options.socket, yields: options.keepsOpen },
      watches: options.watches,
    },
    defaultStorage: storage,
    orphanGraceMs: options.orphanGraceMs,
    keepsOpen: options.keepsOpen,
    log: options.log,
  });
  sessions.sweepAtStart();
  return {
    sessions,
    handlers: handlersFor({ sessions, storage, log: options.log }),
    stop: (reason) => sessions.closeAll(endKinds[reason]),
    leave: (client, reason) => sessions.leave(client, endKinds[reason]),
    beginEnd: (last) => sessions.beginEnd(last),
    finish: () => sessions.deletionsDone(),
    abandon: () => sessions.abandonAll(),
  };
}

/** Returns a handler for every command. All handlers use the same executor. */
function handlersFor(parts: Pick<DaemonParts, 'sessions' | 'storage' | 'log'>): Partial<Handlers> {
  const turns = new Turns();
  const alone = <T>(work: () => Promise<T>): Promise<T> => turns.run(work);
  const openings = new WeakMap<Client, OperationRecords>();
  const openingsOf = (client: Client): OperationRecords => {
    const records = openings.get(client) ?? new OperationRecords();
    openings.set(client, records);
    return records;
  };
  const ofStorages = new Map<string, StorageOperations>();
  const operationsOf = (storage: string): StorageOperations => {
    const operations = ofStorages.get(storage) ?? new StorageOperations(storage);
    ofStorages.set(storage, operations);
    return operations;
  };
  const surroundings = { ...parts, alone, openingsOf, operationsOf, operations: new OperationRecords() };
  const handlers = Object.values(commands).map((command) => [
    command.method,
    (params: object, request: Request) => execute(command, params, request, surroundings),
  ]);
  return Object.fromEntries(handlers) as Partial<Handlers>;
}
