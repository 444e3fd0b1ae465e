import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId, SnapshotId, Tag } from '../../../src/base/ids.ts';
import { PackedCheckpoints } from '../../../src/session/index/packed-checkpoints.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../../src/store/snapshot-store.ts';
import { fromText } from '../../../src/tree/tree-path.ts';
import { checkProperty } from '../../support/property.ts';

const figure = fc.oneof(fc.nat(300), fc.maxSafeNat());
const digits = fc.oneof(
  fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'f'), minLength: 40, maxLength: 40 }),
  fc.string(),
);
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\ud800 half a character'));
const id = fc.string({ minLength: 1, unit: 'binary-ascii' }).map((rest) => `ckpt_${rest}` as CheckpointId);
const time = fc.oneof(
  fc.date({ min: new Date(1), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T02:00:00.000+02:00', '', 'yesterday'),
);
const stack = fc.array(
  fc.nat(40).map((n) => `ckpt_${n}` as CheckpointId),
  { maxLength: 6 },
);

const record: fc.Arbitrary<CheckpointRecord> = fc.record(
  {
    id,
    seq: figure,
    timestamp: time,
    kind: fc.constantFrom('turn', 'tool', 'safety', 'restore'),
    madeAs: fc.constantFrom('0', '1', '1.1', '12.34') as fc.Arbitrary<Tag>,
    parent: id,
    description: text,
    toolName: text,
    message: text,
    snapshot: digits as unknown as fc.Arbitrary<SnapshotId>,
    conversation: figure,
    logLength: figure,
    historyLength: figure,
    currentTurn: figure,
    toolsInTurn: figure,
    inTangent: fc.constant(true),
    skipped: fc.array(
      fc.record({ path: fc.string().map(fromText), reason: fc.constantFrom('fifo', 'tooLarge') }),
    ),
    restored: id,
    safety: id,
    scope: fc.constantFrom('files', 'conversation', 'both'),
    paths: fc.array(fc.string()),
    revealed: fc.array(fc.string()),
    undo: stack,
    redo: stack,
    idempotency: fc.record({ key: text, fingerprint: fc.string(), operation: fc.string() }),
    operation: text,
  },
  {
    requiredKeys: [
      'id',
      'seq',
      'timestamp',
      'kind',
      'description',
      'message',
      'snapshot',
      'conversation',
      'logLength',
      'historyLength',
      'currentTurn',
      'toolsInTurn',
      'skipped',
    ],
  },
);

const stored: fc.Arbitrary<StoredCheckpoint> = fc
  .record(
    { record, tag: fc.constantFrom('0', '1', '1.1') as fc.Arbitrary<Tag>, name: text, commit: digits },
    { requiredKeys: ['record'] },
  )
  .map(({ commit, ...rest }) => (commit === undefined || commit === '' ? rest : { ...rest, commit }));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Pushes everything out of the few that are kept unpacked. */
function forget(packed: PackedCheckpoints): void {
  for (let i = 0; i < 200; i += 1) {
    const filler = { ...base, id: `ckpt_filler${packed.end}` as CheckpointId };
    packed.at(packed.add({ record: filler }));
  }
}

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

test('a checkpoint that was packed comes back as it was, field by field', () => {
  checkProperty(fc.uniqueArray(stored, { selector: ({ record }) => record.id, maxLength: 8 }), (all) => {
    const packed = new PackedCheckpoints();
    const rows = all.map((one) => packed.add(one));
    forget(packed);
    for (const [i, row] of rows.entries()) {
      assert.equal(plain(packed.at(row)), plain(all[i]));
      assert.is(packed.rowOf(all[i]?.record.id ?? ''), row);
      assert.is(packed.commitAt(row), all[i]?.commit);
      assert.is(packed.kindAt(row), all[i]?.record.kind);
    }
  });
});

test('rows are found, renamed and removed like the entries of a Map', () => {
  const step = fc.record({ what: fc.constantFrom('add', 'add', 'remove', 'rename'), which: fc.nat(60) });
  checkProperty(fc.array(step, { maxLength: 300 }), (steps) => {
    const packed = new PackedCheckpoints();
    const model = new Map<string, StoredCheckpoint>();
    for (const [i, { what, which }] of steps.entries()) {
      const name = `ckpt_${which}`;
      const row = packed.rowOf(name);
      assert.is(row === undefined, !model.has(name));
      if (row === undefined && what === 'add') {
        const one = { record: { ...base, id: name as CheckpointId, seq: i, message: 'm'.repeat(1500) } };
        packed.add(one);
        model.set(name, one);
      } else if (row !== undefined && what === 'remove') {
        packed.remove(row);
        model.delete(name);
        assert.is(packed.at(row), undefined);
      } else if (row !== undefined && what === 'rename') {
        const renamed = { record: model.get(name)?.record ?? base, name: `name ${i}` };
        packed.replace(row, renamed);
        model.set(name, renamed);
      }
    }
    assert.is(packed.size, model.size);
    forget(packed);
    for (const [name, one] of model) assert.equal(packed.at(packed.rowOf(name) ?? -1), one);
  });
});

test('a hundred bytes or two a checkpoint, undo stacks of a hundred included', () => {
  const packed = new PackedCheckpoints();
  const undo: CheckpointId[] = [];
  const whole: (readonly CheckpointId[])[] = [];
  const idOf = (n: number): CheckpointId => `ckpt_${String(n).padStart(20, '0')}` as CheckpointId;
  const before = process.memoryUsage().arrayBuffers;
  for (let n = 0; n < 10_000; n += 1) {
    undo.push(idOf(n));
    if (undo.length > 100) undo.shift();
    whole.push([...undo]);
    const record = { ...base, id: idOf(n), seq: n, undo: [...undo], snapshot: 'a'.repeat(40) as SnapshotId };
    packed.add({ record, commit: String(n).padStart(40, '0') });
  }
  const bytes = (process.memoryUsage().arrayBuffers - before) / 10_000;
  assert.ok(bytes < 400, `${bytes} bytes a checkpoint`);
  for (const n of [0, 1, 99, 100, 101, 5000, 9998]) assert.equal(packed.at(n)?.record.undo, whole[n]);
});

test.run();
