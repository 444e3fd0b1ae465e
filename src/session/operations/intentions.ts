// What a session's log says before an effect that cannot carry the client's key itself: removals, names, switching
// checkpoints on. Whether it took place is told afterwards by the checkpoints that are there, so that a key and its
// effect are one also when the process dies between the two. It judges, and does nothing.
import type { OperationId } from '../../base/ids.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';

type Id = CheckpointRecord['id'];

export type Intended =
  | { readonly removes: Id }
  | { readonly renames: Id; readonly name?: string }
  /** store/gc, which lets go of these in one step, and of more in later ones. */
  | { readonly collects: readonly Id[] }
  /** checkpoint/clean: `head` goes with all the others. */
  | { readonly cleans: Id; readonly removed: number }
  /** checkpoint/init where there are checkpoints already; a base that it makes carries the key itself. */
  | { readonly enables: true };

export interface LoggedIntention {
  readonly kind: 'intention';
  readonly method: string;
  readonly operation: OperationId;
  readonly key: string;
  readonly fingerprint: string;
  readonly intended: Intended;
  /** Logged again with this once it had taken place, where the checkpoints could not tell for ever. */
  readonly isDone?: true;
}

/** What is left of an intention that took place: the answer, a checkpoint, or what the answer can be made from. */
export interface IntentionOutcome {
  readonly result?: unknown;
  readonly checkpoint?: string;
  readonly effect?: unknown;
}

export function isIntention(record: unknown): record is LoggedIntention {
  return typeof record === 'object' && record !== null && 'kind' in record && record.kind === 'intention';
}

/** What an intention has come to; undefined when it did not take place. */
export function outcomeOf(
  { intended, isDone }: LoggedIntention,
  checkpoints: readonly StoredCheckpoint[],
): IntentionOutcome | undefined {
  const isThere = (id: Id): boolean => checkpoints.some(({ record }) => record.id === id);
  if ('removes' in intended)
    return isThere(intended.removes) ? undefined : { result: { deleted: intended.removes } };
  if ('collects' in intended)
    return intended.collects.some(isThere) ? undefined : { effect: intended.collects.length };
  if ('cleans' in intended)
    return isDone !== true && isThere(intended.cleans) ? undefined : { effect: intended.removed };
  if ('enables' in intended) return checkpoints.length > 0 ? { effect: true } : undefined;
  const renamed = checkpoints.find(({ record }) => record.id === intended.renames);
  return renamed !== undefined && renamed.name === intended.name
    ? { checkpoint: intended.renames }
    : undefined;
}
