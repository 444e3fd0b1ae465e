// What `initialize` promises: the capabilities of this daemon and its limits, as data. Asks no disk and loads
// nothing, because the first answer must be fast.
import type { Offer } from './lifecycle.ts';

export const offer: Offer = {
  capabilities: {
    sessions: {
      strategies: [
        { name: 'shadow', available: true, retention: 'session', needsRepository: false },
        { name: 'local', available: true, retention: 'keep', needsRepository: true },
        { name: 'sqlite', available: true, retention: 'keep', needsRepository: false },
      ],
      defaultStrategy: 'shadow',
    },
    checkpoints: {
      diffFormats: ['nameStatus', 'stat', 'unified', 'contents', 'text'],
      restoreModes: ['soft', 'hard'],
      restoreScopes: ['files', 'conversation', 'both'],
      conflictPolicies: ['overwrite', 'skip', 'fail'],
      anchoredRestore: process.platform === 'linux',
      fastCapture: false,
    },
    conversation: { tangentFiles: true, documentVersion: 1 },
    ledger: { conflicts: true },
    worktree: { watching: true },
    store: { verify: true },
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
};
