// How a key and its answer stand in a session's log: as a record of their own, or inside the record of their effect.
// Reads them back into entries; what becomes of an entry is operation-records.ts's.
import type { OperationId } from '../../base/ids.ts';
import { OperationEntry } from './operation-entry.ts';

/** A record of its own, after the effect. */
export interface LoggedOperation {
  readonly kind: 'operation';
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly result: unknown;
}

/** A key that was logged with its effect in one record, as changes of the conversation are. */
interface KeyedEffect {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string;
  readonly fingerprint: string;
  /** What the effect answered, from which the wire's answer is made again. */
  readonly result: unknown;
}

export function isLogged(record: unknown): record is LoggedOperation {
  return typeof record === 'object' && record !== null && 'kind' in record && record.kind === 'operation';
}

/** The committed operation that such a record tells of. */
export function entryOf({ operation, method, key, fingerprint, result }: LoggedOperation): OperationEntry {
  const entry = new OperationEntry(operation, method, key, fingerprint);
  entry.state = 'committed';
  entry.result = JSON.stringify(result);
  return entry;
}

/** The key of a record of the conversation (as Timeline.commit wrote it) or of the ledger. */
export function keyedEffectOf(record: unknown): KeyedEffect | undefined {
  const isKeyed =
    typeof record === 'object' &&
    record !== null &&
    'kind' in record &&
    (record.kind === 'conversation' || record.kind === 'ledger') &&
    'idempotency' in record;
  return isKeyed ? (record.idempotency as KeyedEffect) : undefined;
}

/** The same of a key that stands with its effect. */
export function entryOfEffect({ operation, method, key, fingerprint, result }: KeyedEffect): OperationEntry {
  const entry = new OperationEntry(operation, method, key, fingerprint);
  entry.state = 'committed';
  entry.effect = result;
  return entry;
}
