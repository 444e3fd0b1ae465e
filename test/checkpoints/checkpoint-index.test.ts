import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import type { CheckpointId, SnapshotId, Tag } from '../../src/base/ids.ts';
import { CheckpointIndex } from '../../src/checkpoints/checkpoint-index.ts';
import { parseTag, tagParts } from '../../src/checkpoints/tag.ts';
import type { CheckpointKind, CheckpointRecord, StoredCheckpoint } from '../../src/store/snapshot-store.ts';

let made = 0;

function record(kind: CheckpointKind, facts: Partial<CheckpointRecord>): CheckpointRecord {
  made += 1;
  return {
    id: `ckpt_${String(made).padStart(20, '0')}` as CheckpointId,
    seq: made,
    timestamp: '2026-01-01T00:00:00.000Z',
    kind,
    description: '',
    message: '',
    snapshot: `s${made}` as SnapshotId,
    conversation: 0,
    logLength: 0,
    historyLength: 0,
    currentTurn: 0,
    toolsInTurn: 0,
    skipped: [],
    ...facts,
  };
}

/** Returns a checkpoint with the given tag, whose parent is the head of the index. */
function tagged(index: CheckpointIndex, text: string): StoredCheckpoint {
  const tag = parseTag(text);
  const parent = index.head?.record.id;
  const kind = tagParts(tag).tool === undefined ? 'turn' : 'tool';
  const place = index.placeOf(tag);
  const facts = {
    madeAs: tag,
    ...(parent === undefined ? {} : { parent }),
    ...(place === undefined ? {} : { place }),
  };
  const stored = { record: record(kind, facts), tag, commit: String(made + 1).padStart(40, 'a') };
  index.add(stored);
  return stored;
}

const tagsOf = (index: CheckpointIndex): (Tag | undefined)[] =>
  index.list('all').map(({ record }) => index.tagOf(record.id));

function filled(...tags: string[]): CheckpointIndex {
  const index = new CheckpointIndex([]);
  for (const tag of tags) tagged(index, tag);
  return index;
}

function indexOfTurns(size: number): CheckpointIndex {
  return new CheckpointIndex(
    Array.from({ length: size }, (_, i) => {
      const tag = parseTag(String(i));
      return { record: record('turn', { madeAs: tag }), tag };
    }),
  );
}

/** Returns the milliseconds of the fastest of several rounds of 1,000 lookups by tag. */
function lookupMs(index: CheckpointIndex, size: number): number {
  const tags = Array.from({ length: 1000 }, (_, i) => String((i * 7919) % size));
  const rounds = Array.from({ length: 15 }, () => {
    const begun = performance.now();
    for (const each of tags) index.resolve(each);
    return performance.now() - begun;
  });
  return Math.min(...rounds);
}

test('finding a checkpoint by tag takes as long among 20,000 checkpoints as among 100 (Q41)', () => {
  const [few, many] = [lookupMs(indexOfTurns(100), 100), lookupMs(indexOfTurns(20_000), 20_000)];
  assert.ok(many < 40 * few, `${many} ms against ${few} ms`); // a search from the start would take 200 times as long
});

test('the time to index turns is proportional to the number of turns (Q41)', () => {
  // Measures processor time, because on a busy machine the elapsed time of a few milliseconds says little.
  const buildMs = (size: number): number => {
    const rounds = Array.from({ length: 8 }, () => {
      const begun = process.cpuUsage();
      indexOfTurns(size);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    });
    return Math.min(...rounds);
  };
  const [few, many] = [buildMs(1000), buildMs(16_000)];
  // Comparing each tag with every other tag would take 256 times as long.
  assert.ok(many < 80 * few, `${many} ms against ${few} ms`);
});

test('tags are listed in their order: 0, 1, 1.1, 2 (Q8)', () => {
  assert.equal(tagsOf(filled('0', '1', '1.1', '1.2', '2', '2.1', '3')), [
    '0',
    '1',
    '1.1',
    '1.2',
    '2',
    '2.1',
    '3',
  ]);
});

test('if the tag of a turn is used again, the tag moves to the end of the list (Q18)', () => {
  const index = filled('0', '1', '1.1', '2', '2.1');
  const old = index.resolve('1').record.id;
  tagged(index, '1');
  assert.equal(tagsOf(index), ['0', '2', '2.1', '1'], 'its tools give up their tags with it');
  assert.is(index.byId(old)?.record.id, old, 'the older checkpoint keeps its id');
  assert.is(index.tagOf(old), undefined);
  assert.is(index.list('every').length, 6);
});

test('if the tag of a tool is used again, the new checkpoint and its metadata replace the old ones in place (Q19)', () => {
  const index = filled('0', '1', '1.1', '1.2');
  const again = tagged(index, '1.1');
  assert.equal(tagsOf(index), ['0', '1', '1.1', '1.2']);
  assert.equal(index.resolve('1.1'), again);
});

test('an index that is rebuilt from the store lists the same checkpoints as before', () => {
  const index = filled('0', '1', '1.1', '1.2', '2');
  tagged(index, '1.1');
  tagged(index, '1');
  const stored = index.list('every').map((checkpoint) => {
    const { tag: _tag, ...rest } = checkpoint;
    const tag = index.tagOf(checkpoint.record.id);
    return tag === undefined ? rest : { ...rest, tag };
  });
  const rebuilt = new CheckpointIndex(stored);
  assert.equal(tagsOf(rebuilt), tagsOf(index));
  assert.is(rebuilt.head?.record.id, index.head?.record.id);
  assert.is(rebuilt.nextSeq, index.nextSeq);
});

test('the previous tag of each tag is as specified, and deleted checkpoints are skipped (Q9)', () => {
  const index = filled('0', '1', '1.1', '1.2', '2');
  const predecessor = (tag: string): Tag | undefined => {
    const found = index.predecessor(index.resolve(tag).record.id);
    return found === undefined ? undefined : index.tagOf(found.record.id);
  };
  assert.is(predecessor('1.1'), '1');
  assert.is(predecessor('1.2'), '1.1');
  assert.is(predecessor('2'), '1');
  assert.is(predecessor('0'), undefined);
  index.remove([index.resolve('1.1').record.id]);
  assert.is(predecessor('1.2'), '1');
  index.remove([index.resolve('1').record.id]);
  assert.is(predecessor('1.2'), '0');
});

test('checkpoints after a restored checkpoint are marked as detached, but still listed', () => {
  const index = filled('0', '1', '1.1', '2');
  const one = index.resolve('1').record.id;
  index.add({ record: record('restore', { parent: one }) });
  const detached = index.list('all').filter(({ record }) => index.isDetached(record.id));
  assert.equal(
    detached.map(({ tag }) => tag),
    ['1.1', '2'],
  );
  tagged(index, '1.1');
  assert.not(
    index.isDetached(index.resolve('1.1').record.id),
    'the newer checkpoint of the tag is on the line',
  );
});

test('a safety checkpoint never becomes the current checkpoint of a session', () => {
  const index = filled('0', '1');
  const head = index.head;
  index.add({ record: record('safety', {}) });
  assert.is(index.head, head);
  assert.is(index.list('all').length, 2);
});

test('a checkpoint can be found by tag, id, name and commit', () => {
  const index = filled('0', '1');
  const one = index.resolve('1');
  index.rename(one.record.id, 'before the refactoring');
  assert.is(index.resolve('before the refactoring').record.id, one.record.id);
  assert.is(index.resolve(one.record.id).record.id, one.record.id);
  assert.is(index.resolve(one.commit ?? '').record.id, one.record.id);
});

test('if a word is the commit id of one checkpoint and the name of another, the word means the checkpoint with this commit', () => {
  const index = filled('0', '1');
  const [base, one] = [index.resolve('0'), index.resolve('1')];
  const commit = one.commit ?? '';
  index.rename(base.record.id, commit);
  assert.is(index.resolve(commit).record.id, one.record.id);
  index.rename(base.record.id, 'deadbeef');
  assert.is(index.resolve('deadbeef').record.id, base.record.id, 'where no commit has it, the name is found');
});

for (const [text, kind] of [
  ['7', 'UnknownCheckpoint'],
  ['ckpt_nothing', 'UnknownCheckpoint'],
  ['--upload-pack=x', 'InvalidTag'],
  ['../../x', 'InvalidTag'],
  ['refs/heads/x', 'InvalidTag'],
  ['a\0b', 'InvalidTag'],
  ['x'.repeat(10_240), 'InvalidTag'],
] as const) {
  test(`the tag ${JSON.stringify(text.slice(0, 20))} is refused with ${kind}, and the message names checkpoint/list (Q40)`, () => {
    const index = filled('0');
    try {
      index.resolve(text);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, CheckpointdError);
      assert.is((error as CheckpointdError).kind, kind);
      assert.match((error as CheckpointdError).message, /checkpoint\/list/);
      assert.ok((error as CheckpointdError).message.length < 300, 'the bad input is not echoed whole');
    }
  });
}

test('finding each of 10,000 checkpoints takes constant time', () => {
  const index = new CheckpointIndex([]);
  for (let turn = 0; turn < 10_000; turn += 1) tagged(index, String(turn));
  assert.is(index.tagCount, 10_000);
  assert.is(index.resolve('9999').tag, '9999');
});

test.run();
