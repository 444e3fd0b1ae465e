// What a session tells whoever listens (the wire's notifications): an interface with nothing behind it, so that use
// cases can be run without a wire. Telling never fails an operation; awaiting it keeps events before the answer.
import type { SnapshotId } from '../base/ids.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { RestoreOutcome } from './restore/outcome.ts';
import type { Session } from './session.ts';

export interface SessionEvents {
  opened(session: Session, facts: { readonly resumed: boolean; readonly ms: number }): Promise<void>;
  /** `from`: the snapshot that the session stood on before. */
  created(
    session: Session,
    checkpoint: StoredCheckpoint,
    facts: { readonly from?: SnapshotId; readonly ms: number },
  ): Promise<void>;
  restored(
    session: Session,
    target: StoredCheckpoint,
    facts: { readonly outcome: Omit<RestoreOutcome, 'ms' | 'historyLength'>; readonly ms: number },
  ): Promise<void>;
  failed(session: Session, method: string, error: unknown): void;
  /** `overflow`: more changed than is listed. */
  workTreeChanged(
    session: Session,
    change: { readonly paths: readonly TreePath[]; readonly overflow: boolean },
  ): void;
  /** A capture found changes that {@link workTreeChanged} had not told. */
  workTreeDrifted(session: Session, paths: readonly TreePath[]): void;
  conversationChanged(session: Session, method: string): void;
}
