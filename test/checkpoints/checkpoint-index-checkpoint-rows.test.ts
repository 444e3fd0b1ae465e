import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId, SnapshotId, Tag } from '../../src/base/ids.ts';
import { CheckpointIndex, CheckpointRows } from '../../src/checkpoints/checkpoint-index.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../src/store/snapshot-store.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { checkProperty } from '../support/property.ts';

const base: CheckpointRecord = {
  id: 'ckpt_' as CheckpointId,
  seq: 1,
  timestamp: '2026-01-01T00:00:00.000Z',
  kind: 'turn',
  description: '',
  message: '',
  snapshot: 's' as SnapshotId,
  conversation: 0,
  logLength: 0,
  historyLength: 0,
  currentTurn: 0,
  toolsInTurn: 0,
  skipped: [],
};

test('rows of checkpoints can be found, renamed and removed like the entries of a Map', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'remove', 'rename'),
    which: fc.nat(60),
    stacks: fc.constantFrom('none', 'same', 'push', 'pop', 'other'),
  });
  checkProperty(fc.array(step, { maxLength: 300 }), (steps) => {
    const rows = new CheckpointRows();
    const model = new Map<string, StoredCheckpoint>();
    let undo: CheckpointId[] = [];
    for (const [i, { what, which, stacks }] of steps.entries()) {
      const name = `ckpt_${which}`;
      const row = rows.rowOf(name);
      assert.is(row === undefined, !model.has(name));
      if (row === undefined && what === 'add') {
        const id = name as CheckpointId;
        if (stacks === 'push') undo = [...undo, id].slice(-5);
        if (stacks === 'pop') undo = undo.slice(0, -1);
        if (stacks === 'other') undo = [...model.keys()].map((known) => known as CheckpointId);
        const redo = [...undo].reverse();
        const one = { record: { ...base, id, seq: i, ...(stacks === 'none' ? {} : { undo, redo }) } };
        rows.add(one);
        model.set(name, one);
      } else if (row !== undefined && what === 'remove') {
        rows.remove(row);
        model.delete(name);
        assert.is(rows.at(row), undefined);
      } else if (row !== undefined && what === 'rename') {
        const renamed = { record: model.get(name)?.record ?? base, name: `name ${i}` };
        rows.replace(row, renamed);
        model.set(name, renamed);
      }
    }
    assert.is(rows.size, model.size);
    const left = rows.rows().map((row) => rows.at(row)?.record.id ?? '');
    assert.equal(new Set(left), new Set(model.keys()));
    for (const [name, one] of model) assert.equal(rows.withStacks(rows.rowOf(name) ?? -1), one);
  });
});

const count = 10_000;
const idOf = (n: number): CheckpointId => `ckpt_${String(n).padStart(20, '0')}` as CheckpointId;

/** Returns a checkpoint as a store reads it. The checkpoint shares no string with other checkpoints. */
function read(n: number, facts: Partial<CheckpointRecord>, tag?: Tag): StoredCheckpoint {
  const text = (length: number, digit: string): string => String(n).padStart(length, digit);
  const operation = `op_${text(20, '0')}`;
  const record: CheckpointRecord = {
    ...base,
    id: idOf(n),
    seq: n,
    ...(n === 0 ? {} : { parent: idOf(n - 1) }),
    snapshot: text(40, 'a') as SnapshotId,
    toolName: 'fs_write',
    description: 'Write src/session/index/checkpoint.ts',
    skipped: [{ path: fromText('video.mp4'), reason: 'tooLarge' }],
    operation,
    idempotency: { key: text(30, 'k'), fingerprint: text(64, 'f'), operation, method: 'checkpoint/create' },
    ...facts,
  };
  const stored = { record, commit: text(40, 'c'), ...(tag === undefined ? {} : { tag }) };
  return JSON.parse(JSON.stringify(stored)) as StoredCheckpoint;
}

function turnOrTool(n: number): StoredCheckpoint {
  const madeAs = (n % 10 === 0 ? String(n / 10) : `${Math.floor(n / 10)}.${n % 10}`) as Tag;
  return read(n, { kind: n % 10 === 0 ? 'turn' : 'tool', madeAs }, madeAs);
}

function safetyOrRestore(n: number): StoredCheckpoint {
  if (n % 2 === 0) return read(n, { kind: 'safety' });
  const undo = Array.from({ length: Math.min(100, (n + 1) / 2) }, (_, i) => idOf(n - i * 2)).reverse();
  return read(n, { kind: 'restore', scope: 'both', restored: idOf(0), safety: idOf(n - 1), undo, redo: [] });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A separate function, so that the garbage collector can free the source of the index. */
function indexOf(stored: (n: number) => StoredCheckpoint): CheckpointIndex {
  return new CheckpointIndex(Array.from({ length: count }, (_, n) => stored(n)));
}

for (const [what, stored] of [
  ['turns and tools', turnOrTool],
  ['restores with a hundred ids to undo, and their safety checkpoints', safetyOrRestore],
] as const) {
  test(`in an index of ten thousand ${what}, each checkpoint takes less than 1.5 KB of memory`, () => {
    const before = heapUsed();
    const index = indexOf(stored);
    const bytes = (heapUsed() - before) / count;
    console.log(`      ${bytes.toFixed(0)} bytes a checkpoint`);
    assert.ok(bytes < 1536, `${bytes} bytes a checkpoint`);
    assert.is(index.size, count);
  });
}

test.run();
