// Provides the answer to `initialize`, with the capabilities and limits of this daemon. This module loads no large
// module, because the first answer must be fast. The module reads only one fact from the disk: which optional packages
// are installed.
import type { CheckpointdServerCapabilities, ServerLimits } from '../protocol/types.ts';
import { defaultStrategy, offeredStrategies } from '../session/offered-strategies.ts';

/** The capabilities and limits of this daemon. The connection adds its own limits. */
interface Offer {
  readonly capabilities: Omit<CheckpointdServerCapabilities, 'events'>;
  readonly limits: Omit<ServerLimits, 'maxHeaderBytes' | 'maxBodyBytes' | 'maxInFlight'>;
}

/** Returns the capabilities of this daemon on this machine. */
export function offerHere(): Offer {
  const sessions = { strategies: offeredStrategies(), defaultStrategy };
  return { ...offer, capabilities: { sessions, ...offer.capabilities } };
}

const offer = {
  capabilities: {
    checkpoints: {
      diffFormats: ['nameStatus', 'stat', 'unified', 'contents', 'text'],
      restoreModes: ['soft', 'hard'],
      restoreScopes: ['files', 'conversation', 'both'],
      conflictPolicies: ['overwrite', 'skip', 'fail'],
      anchoredRestore: process.platform === 'linux',
      fastCapture: process.platform === 'linux',
    },
    conversation: { tangentFiles: true, documentVersion: 1 },
    ledger: { conflicts: true },
    worktree: { watching: true },
    store: { verify: true },
    remotes: { schemes: ['ssh', 'https', 'file'], lineFormat: 1 },
    operations: { remembered: 1000 },
  },
  limits: {
    maxQueued: 256,
    maxPageItems: 1000,
    maxListedPaths: 10_000,
    maxReadBytes: 8 * 1024 * 1024,
    maxDiffFileBytes: 1024 * 1024,
    maxDiffTextBytes: 32 * 1024 * 1024,
    maxHistoryEntries: 10_000,
    maxTranscriptLines: 10_000,
    maxMessageCharacters: 400_000,
    maxFileBytes: 256 * 1024 * 1024,
  },
} as const satisfies Offer;
