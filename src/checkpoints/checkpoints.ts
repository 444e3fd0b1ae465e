// The parts that a session has while its checkpoints are enabled: the store, the capturer that fills it, and the index
// of its checkpoints. The parts are fields of a plain object. Callers can therefore ask only for the parts that they
// need, and tests can build such an object.
import type { Capturer } from '../capture/capturer.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';
import type { StatsCache } from './compared.ts';
import type { Ledger } from './ledger.ts';

export interface Checkpoints {
  readonly store: SnapshotStore;
  readonly capture: Capturer;
  readonly index: CheckpointIndex;
  readonly stats: StatsCache;
  readonly ledger: Ledger;
}
