// Checks whether JSON from a store is a checkpoint's record: every field that the code uses must exist and have its
// type. Does not check the snapshot of the record, and repairs nothing.
import { endsWithItsSum, isIntact, sumOfText, withSum } from '../base/check-sum.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { CheckpointRecord } from './snapshot-store.ts';

const kinds: ReadonlySet<unknown> = new Set(['turn', 'tool', 'safety', 'restore']);
const texts = ['id', 'timestamp', 'description', 'message', 'snapshot'] as const;
const numbers = [
  'seq',
  'conversation',
  'logLength',
  'historyLength',
  'currentTurn',
  'toolsInTurn',
] as const satisfies readonly (keyof CheckpointRecord)[];
const optionalTexts = ['madeAs', 'parent', 'toolName', 'restored', 'safety', 'scope', 'operation'] as const;
const optionalLists = ['paths', 'revealed', 'undo', 'redo'] as const;

/**
 * Returns the JSON of a record with a checksum. The checksum includes the message, even when the message is stored
 * separately.
 */
export function recordText({ message, ...rest }: CheckpointRecord, isMessageApart: boolean): string {
  return JSON.stringify(
    withSum(isMessageApart ? { ...rest, messageSum: sumOfText(message) } : { ...rest, message }),
  );
}

interface ParsedRecord {
  readonly record: CheckpointRecord;
  /** False when the separately stored message differs from the original message. */
  readonly hasItsMessage: boolean;
}

/**
 * Parses a record. Returns undefined when the record is invalid or incomplete. `message` is the separately stored
 * message.
 */
export function parseRecord(json: string, message?: string): ParsedRecord | undefined {
  const value = parseJson(json);
  if (!isObject(value)) return undefined;
  if (!endsWithItsSum(json) && !isIntact(value)) return undefined;
  const { sum: _, messageSum, ...record } = value as Summed;
  if (message !== undefined && !('message' in record)) record.message = message;
  if (!isRecord(record)) return undefined;
  return { record, hasItsMessage: messageSum === undefined || messageSum === sumOfText(record.message) };
}

interface Summed {
  readonly sum?: string;
  readonly messageSum?: string;
  message?: string;
}

function isRecord(value: object): value is CheckpointRecord {
  const fields = value as Partial<Record<string, unknown>>;
  return (
    kinds.has(fields['kind']) &&
    texts.every((name) => typeof fields[name] === 'string') &&
    numbers.every((name) => Number.isSafeInteger(fields[name]) && Number(fields[name]) >= 0) &&
    optionalTexts.every((name) => fields[name] === undefined || typeof fields[name] === 'string') &&
    optionalLists.every((name) => fields[name] === undefined || isTexts(fields[name])) &&
    !Number.isNaN(Date.parse(String(fields['timestamp']))) &&
    isSkippedList(fields['skipped']) &&
    isRange(fields['reverted']) &&
    isStamp(fields['idempotency'])
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isSkippedList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (one) => isObject(one) && typeof one['path'] === 'string' && typeof one['reason'] === 'string',
    )
  );
}

function isRange(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { from, to } = value;
  return typeof from === 'string' && (to === undefined || typeof to === 'string');
}

function isStamp(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { key, fingerprint, operation } = value;
  return typeof key === 'string' && typeof fingerprint === 'string' && typeof operation === 'string';
}
