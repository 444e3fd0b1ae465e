// The checkpoints of a git store, read from its refs: one pass over the refs, one pipeline of commits. One broken ref
// or commit never hides the others (F58); it becomes a problem that `verify` tells.
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId, Tag } from '../../base/ids.ts';
import type { ObjectReader } from '../../git/objects/object-reader.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import type { RefChange } from '../../git/refs/ref-transaction.ts';
import type { CheckpointRecord, StoredCheckpoint, StoreProblem } from '../snapshot-store.ts';
import { decodeCommit, partsOfSnapshot } from './checkpoint-commit.ts';
import { meaningOf, type RefNames } from './refs.ts';

export interface ReadCheckpoints {
  /** By `seq`. */
  readonly good: StoredCheckpoint[];
  readonly problems: StoreProblem[];
}

/** Commits asked for at once. */
const widthMax = 2000;

export async function readCheckpoints(
  refs: RefStore,
  names: RefNames,
  reader: ObjectReader,
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
  for (let from = 0; from < wanted.length; from += widthMax) {
    const part = wanted.slice(from, from + widthMax);
    const records = await Promise.all(part.map(([id, commit]) => readRecord(reader, id, commit)));
    for (const [index, record] of records.entries()) {
      const [id, commit] = part[index] ?? ['' as CheckpointId, ''];
      if ('problem' in record) {
        problems.push({ ...record.problem, affects: [id] });
        continue;
      }
      const tag = tags.get(commit);
      const name = called.get(id);
      const stored = { record: record.record, commit, ...(tag !== undefined && { tag }) };
      good.push(name === undefined ? stored : { ...stored, name });
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

/** Takes their refs from permissions that none of these checkpoints needs. */
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
