// Reads the checkpoints of a git store, and the directories of their snapshots, from git's objects. Reading all
// checkpoints takes one pass over the refs and one pipelined series of commit reads. A broken ref or commit never hides
// intact refs or commits. `verify` reports a broken ref or commit as a problem.
import { CheckpointdError, isKind } from '../../base/errors.ts';
import type { BlobId, CheckpointId, SnapshotId, Tag } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { oneLine } from '../../base/text/one-line.ts';
import type { ObjectReader } from '../../git/objects/object-reader.ts';
import { decodeTree, emptyTree } from '../../git/objects/tree-format.ts';
import { identity } from '../../git/process/environment.ts';
import type { RefChange } from '../../git/refs/ref-files.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import { decodeModes } from '../../tree/strict-modes.ts';
import type { FileNode } from '../../tree/tree.ts';
import type { CheckpointRecord, StoredCheckpoint, StoreProblem } from '../snapshot-store.ts';
import { parseRecord } from '../stored-record.ts';
import type { SnapshotParts, SubTree, TreeNode, TreeSource } from '../tree-reader.ts';
import type { RecordLines } from './packed-records.ts';
import { meaningOf, type RefNames } from './refs.ts';

interface ReadCheckpoints {
  /** The readable checkpoints in the order of `seq`. */
  readonly good: StoredCheckpoint[];
  readonly problems: StoreProblem[];
}

const widthMax = 2000;

/**
 * Reads all checkpoints. Takes records from `cached` (see {@link PackedRecords}), and reads only the commits of the
 * other checkpoints.
 */
export async function readCheckpoints(
  refs: Pick<RefStore, 'refs' | 'broken' | 'damagedIntent'>,
  names: RefNames,
  reader: ObjectReader,
  cached: RecordLines = new Map(),
): Promise<ReadCheckpoints> {
  const tags = new Map<string, Tag>();
  const called = new Map<CheckpointId, string>();
  const wanted: (readonly [id: CheckpointId, commit: string])[] = [];
  for (const [ref, commit] of refs.refs) {
    const meaning = meaningOf(names, ref);
    if (meaning.kind === 'tag') tags.set(commit, meaning.tag);
    else if (meaning.kind === 'name') called.set(meaning.id, meaning.name);
    else if (meaning.kind === 'checkpoint') wanted.push([meaning.id, commit]);
  }
  const good: StoredCheckpoint[] = [];
  const unreadable = [...refs.broken, ...(refs.damagedIntent === undefined ? [] : [refs.damagedIntent])];
  const problems: StoreProblem[] = unreadable.map((what) => ({ kind: 'corrupt', what, affects: [] }));
  const add = (record: CheckpointRecord, commit: string): void => {
    const tag = tags.get(commit);
    const name = called.get(record.id);
    const stored = { record, commit, ...(tag !== undefined && { tag }) };
    good.push(name === undefined ? stored : { ...stored, name });
  };
  const unread = wanted.filter(([id, commit]) => {
    const json = cached.get(commit);
    const record = json === undefined || json === '' ? undefined : parseRecord(json)?.record;
    if (record?.id !== id) return true;
    add(record, commit);
    return false;
  });
  for (let from = 0; from < unread.length; from += widthMax) {
    const part = unread.slice(from, from + widthMax);
    const records = await Promise.all(part.map(([id, commit]) => readRecord(reader, id, commit)));
    for (const [index, record] of records.entries()) {
      const [id, commit] = part[index] ?? ['' as CheckpointId, ''];
      if ('problem' in record) problems.push({ ...record.problem, affects: [id] });
      else add(record.record, commit);
    }
  }
  good.sort((a, b) => a.record.seq - b.record.seq);
  return { good, problems };
}

type Outcome =
  | { readonly record: CheckpointRecord }
  | { readonly problem: Pick<StoreProblem, 'kind' | 'what'> };

async function readRecord(reader: ObjectReader, id: CheckpointId, commit: string): Promise<Outcome> {
  try {
    const record = decodeCommit(await reader.read('commit', commit), commit);
    if (record.id === id) return { record };
    return { problem: { kind: 'corrupt', what: commit } };
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    if (error.kind === 'DataCorrupt') {
      const kind = error.details?.problem === 'missing' ? 'missing' : 'corrupt';
      return { problem: { kind, what: commit } };
    }
    if (error.kind === 'StoreCorrupt') return { problem: { kind: 'corrupt', what: commit } };
    throw error;
  }
}

export function nameRefsOf(refs: RefStore, names: RefNames, ids: ReadonlySet<CheckpointId>): string[] {
  return [...refs.refs.keys()].filter((ref) => {
    const meaning = meaningOf(names, ref);
    return meaning.kind === 'name' && ids.has(meaning.id);
  });
}

/**
 * Returns the changes that remove the refs of unneeded permission tables. A table is unneeded when none of these
 * checkpoints uses it.
 */
export function unusedModes(
  refs: RefStore,
  names: RefNames,
  checkpoints: readonly StoredCheckpoint[],
): RefChange[] {
  const used = new Set(checkpoints.map(({ record }) => partsOfSnapshot(record.snapshot).modes));
  const unused = [...refs.refs.keys()].filter((ref) => {
    const meaning = meaningOf(names, ref);
    return meaning.kind === 'modes' && !used.has(meaning.blob);
  });
  return unused.map((ref) => ({ ref, to: undefined }));
}

// A checkpoint as a git commit. The description is the subject, and the whole record follows as JSON, so that no second
// file can contradict the record. A commit has no parents, so that removing a checkpoint frees everything that only
// this checkpoint needs. The order of the checkpoints is in the records. This code reads and writes bytes. The store
// moves the refs.

/** Marks the beginning of the record. The subject is one line, so no description can imitate this mark. */
const marker = '\n\ncheckpointd-record-1\n';
const laterMarker = /\n\ncheckpointd-record-(\d+)\n/y;
const snapshotForm = /^([0-9a-f]{40})(?:-([0-9a-f]{40}))?$/;

/** Returns the tree of a snapshot. If the snapshot has strict permissions, also returns the blob that lists them. */
export function partsOfSnapshot(snapshot: SnapshotId): SnapshotParts {
  const match = snapshotForm.exec(snapshot);
  invariant(
    match?.[1] !== undefined,
    `${JSON.stringify(snapshot.slice(0, 100))} is not the id of a snapshot in a git store`,
  );
  return match[2] === undefined ? { tree: match[1] } : { tree: match[1], modes: match[2] };
}

/**
 * Returns the bytes of the commit. JSON preserves any text, such as newlines, escape codes, and text that looks like a
 * trailer.
 */
export function encodeCommit(record: CheckpointRecord): Buffer {
  const { tree } = partsOfSnapshot(record.snapshot);
  const seconds = Math.max(0, Math.floor(Date.parse(record.timestamp) / 1000)) || 0;
  const who = `${identity.name} <${identity.email}> ${seconds} +0000`;
  const header = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n`;
  return Buffer.from(`${header}${subjectOf(record)}${marker}${JSON.stringify(record)}\n`, 'utf8');
}

/**
 * Reads a record.
 * @throws StoreCorrupt when the commit is foreign or does not match its tree, StoreVersion for a record of a later
 * format. A record of a later format must not count as damage, because the daemon might then find no readable
 * checkpoint, and make a new first checkpoint.
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

/** Returns the description as one line for a terminal: control characters become spaces. */
function subjectOf(record: CheckpointRecord): string {
  return oneLine(record.description) || `(${record.kind})`;
}

function notARecord(text: string, start: number, commit: string): CheckpointdError {
  laterMarker.lastIndex = start;
  const form = laterMarker.exec(text)?.[1];
  if (form === undefined) return corruptCommit(commit);
  return new CheckpointdError(
    'StoreVersion',
    `The checkpoint ${commit.slice(0, 12)} was written by a newer checkpointd (form ${form} of its record). It was not changed. Update checkpointd.`,
    { details: { commit, form: Number(form) } },
  );
}

function corruptCommit(commit: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The commit ${commit} in the checkpoint store is not a checkpoint and is ignored. Remove its ref by hand.`,
    { details: { commit } },
  );
}

// The directories of a snapshot are git's trees. A blob beside the trees lists the strict permissions, which git's
// trees cannot store.

export function gitTrees(reader: ObjectReader): Required<TreeSource> {
  return {
    partsOf: partsOfSnapshot,
    modes: async (id) => {
      try {
        return await decodeModes(await reader.read('blob', id), id);
      } catch (error) {
        throw ruined(error);
      }
    },
    read: async (ids) => {
      const nodes: (TreeNode | CheckpointdError)[] = [];
      for (let from = 0; from < ids.length; from += widthMax) {
        const some = ids.slice(from, from + widthMax);
        for (const node of await Promise.all(some.map((id) => readTree(reader, id)))) nodes.push(node);
      }
      return nodes;
    },
  };
}

async function readTree(reader: ObjectReader, id: string): Promise<TreeNode | CheckpointdError> {
  try {
    return await nodeOfTree(id === emptyTree ? Buffer.of() : await reader.read('tree', id), id);
  } catch (error) {
    const cause = ruined(error);
    if (isKind('StoreCorrupt')(cause)) return cause;
    throw cause;
  }
}

/** Decodes a directory. @throws StoreCorrupt */
export async function nodeOfTree(bytes: Buffer, id: string): Promise<TreeNode> {
  const entries = new Map<string, SubTree | FileNode>();
  for (const { name, mode, id: each } of await decodeTree(bytes, id))
    entries.set(name, mode === '040000' ? { tree: each } : { mode, blob: each as BlobId });
  return { entries };
}

/**
 * Turns an error about a directory or a permission table into StoreCorrupt, because both are the store's own records.
 */
function ruined(error: unknown): unknown {
  if (!isKind('DataCorrupt')(error)) return error;
  const { message, details } = error;
  return new CheckpointdError('StoreCorrupt', message, { details, cause: error });
}
