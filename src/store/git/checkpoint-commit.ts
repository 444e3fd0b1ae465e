// A checkpoint as a git commit: the description is the subject, the whole record stands below it as JSON, so that no
// second file could disagree. Commits have no parents: the order is in the records, and a checkpoint that is removed
// frees what only it held. It reads and writes bytes alone; refs are the store's business.
import { CheckpointdError } from '../../base/errors.ts';
import type { SnapshotId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { oneLine } from '../../base/text/one-line.ts';
import { identity } from '../../git/process/environment.ts';
import type { CheckpointRecord } from '../snapshot-store.ts';
import { parseRecord } from '../stored-record.ts';

/** Begins the record. The subject is one line, so the first line after it cannot be anybody's text. */
const marker = '\n\ncheckpointd-record-1\n';
const laterMarker = /\n\ncheckpointd-record-(\d+)\n/y;
const snapshotForm = /^([0-9a-f]{40})(?:-([0-9a-f]{40}))?$/;

/** The tree of a snapshot, and the blob of its strict permissions if there are any. */
export function partsOfSnapshot(snapshot: SnapshotId): { readonly tree: string; readonly modes?: string } {
  const match = snapshotForm.exec(snapshot);
  invariant(
    match?.[1] !== undefined,
    `${JSON.stringify(snapshot.slice(0, 100))} is a snapshot of a git store`,
  );
  return match[2] === undefined ? { tree: match[1] } : { tree: match[1], modes: match[2] };
}

/** The bytes of the commit. JSON keeps any text verbatim: newlines, escape codes, what looks like a trailer. */
export function encodeCommit(record: CheckpointRecord): Buffer {
  const { tree } = partsOfSnapshot(record.snapshot);
  const seconds = Math.max(0, Math.floor(Date.parse(record.timestamp) / 1000)) || 0;
  const who = `${identity.name} <${identity.email}> ${seconds} +0000`;
  const header = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n`;
  return Buffer.from(`${header}${subjectOf(record)}${marker}${JSON.stringify(record)}\n`, 'utf8');
}

/**
 * Reads a record back.
 *
 * @throws StoreCorrupt when the commit is none of ours or does not fit its own tree; StoreVersion for a record of a
 * later form, which must never count as damage: a session without its checkpoints would be given a new base.
 */
export function decodeCommit(bytes: Buffer, commit: string): CheckpointRecord {
  const text = bytes.toString('utf8');
  const tree = /^tree ([0-9a-f]{40})\n/.exec(text)?.[1];
  const body = text.indexOf('\n\n') + 2;
  const start = text.indexOf('\n', body);
  if (tree === undefined || body < 2 || start < 0) throw corruptCommit(commit);
  if (!text.startsWith(marker, start)) throw notARecord(text, start, commit);
  const record = parseRecord(text.slice(start + marker.length))?.record;
  if (record === undefined || !snapshotForm.test(record.snapshot) || !record.snapshot.startsWith(tree))
    throw corruptCommit(commit);
  return record;
}

/** The description in one line that a terminal can show: control characters become spaces. */
function subjectOf(record: CheckpointRecord): string {
  return oneLine(record.description) || `(${record.kind})`;
}

function notARecord(text: string, start: number, commit: string): CheckpointdError {
  laterMarker.lastIndex = start;
  const form = laterMarker.exec(text)?.[1];
  if (form === undefined) return corruptCommit(commit);
  return new CheckpointdError(
    'StoreVersion',
    `The checkpoint ${commit.slice(0, 12)} was written by a newer checkpointd (form ${form} of its record). It was left as it is: update checkpointd.`,
    { details: { commit, form: Number(form) } },
  );
}

function corruptCommit(commit: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The commit ${commit} in the checkpoint store is no checkpoint. It is passed over; remove its ref by hand.`,
    { details: { commit } },
  );
}
