// The composition root. So far it composes nothing: it has no handlers, and says what they will offer.
import type { Log } from './base/log.ts';
import type { Daemon, Notify } from './rpc/server.ts';

export interface DaemonOptions {
  readonly notify: Notify;
  readonly log: Log;
  /** Where sessions are kept. Absent: `$XDG_STATE_HOME/checkpointd`. */
  readonly storageDirectory?: string;
}

export function createDaemon(_options: DaemonOptions): Daemon {
  return {
    handlers: {},
    offer: () => ({
      capabilities: {},
      limits: {
        maxQueued: 256,
        maxPageItems: 1000,
        maxListedPaths: 10_000,
        maxReadBytes: 4 * 1024 * 1024,
        maxDiffFileBytes: 1024 * 1024,
        maxDiffTextBytes: 16 * 1024 * 1024,
        maxHistoryEntries: 10_000,
        maxTranscriptLines: 10_000,
        maxMessageCharacters: 400_000,
        maxFileBytes: 2 ** 31,
      },
    }),
    stop: async () => undefined,
  };
}
