// Tests the seven specified properties of a store for every strategy. Four properties use the same histories, because
// publishing a history costs more than reading it. Session tests check the same properties with a whole daemon.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type { BlobId, CheckpointId } from '../../src/base/ids.ts';
import { unifiedText } from '../../src/git/diff/tree-diff.ts';
import type { SnapshotStore, StoredCheckpoint } from '../../src/store/snapshot-store.ts';
import { checkPropertyAsync } from '../support/property.ts';
import type { Check, SuiteHooks } from '../support/stores/store-rig.ts';
import {
  at,
  blobOf,
  bytesOfBlob,
  capture,
  changesShown,
  checkpoint,
  contentsOf,
  differences,
  file,
  type PlainFile,
  type PlainTree,
  recordOf,
  shown,
  trees,
} from '../support/trees/snapshots.ts';
import { applyUnified } from '../support/unified-diff.ts';

const messages = fc.oneof(fc.constantFrom('', 'fix it', 'zwei\nZeilen', '\u{1f600} "q" \\'), fc.string());

/** Random histories of states. The parent of each state is an earlier state or none. */
const histories = fc.array(fc.record({ tree: trees, message: messages, parent: fc.nat() }), {
  minLength: 1,
  maxLength: 3,
});
type History = readonly { readonly tree: PlainTree; readonly message: string; readonly parent: number }[];

interface Made {
  readonly tree: PlainTree;
  readonly stored: StoredCheckpoint;
  readonly parent: Made | undefined;
}

let lastSeq = 0;

/** Returns the sequence number for the next checkpoint. */
function nextSeq(): number {
  lastSeq += 1;
  return lastSeq;
}

/** Adds the checkpoints of a history to the checkpoints in the store. */
async function publishAll(store: SnapshotStore, history: History): Promise<Made[]> {
  const made: Made[] = [];
  for (const [i, { tree, message, parent: choice }] of history.entries()) {
    const parent = i === 0 ? undefined : made[choice % (i + 1)];
    const record = recordOf({
      snapshot: await capture(store, tree),
      seq: nextSeq(),
      message,
      timestamp: new Date(Date.UTC(2026, 0, 1) + (choice % 3) * 1000).toISOString(),
      ...(parent === undefined ? {} : { parent: parent.stored.record.id }),
    });
    const { commit } = await store.publish({ record });
    made.push({ tree, parent, stored: { record, ...(commit === undefined ? {} : { commit }) } });
  }
  return made;
}

/** Lists the first checkpoint of a history and all later checkpoints of the store. */
async function listedFrom(store: SnapshotStore, made: readonly Made[]): Promise<StoredCheckpoint[]> {
  const list = await store.checkpoints();
  const first = list.findIndex(({ record }) => record.id === made[0]?.stored.record.id);
  assert.ok(first >= 0, 'the first checkpoint of the history is listed');
  return list.slice(first);
}

/** The number of histories between two cleanups. A cleanup costs as much as many publications. */
const sweptTogether = 10;

/** Tests each property with `runs` inputs. */
export function storeProperties(check: Check, hooks: SuiteHooks, runs = 100): void {
  check(
    'checkpoints are complete, listed in order, and restored exactly (O14, O16, O17, O20, O24)',
    async ({ store }) => {
      await checkPropertyAsync(
        fc.tuple(histories, fc.nat()),
        async ([history, choice]) => {
          const made = await publishAll(store, history);
          const list = await listedFrom(store, made);
          await creationIsComplete(store, made, list);
          historyIsOrdered(made, list);
          await detailsAreComplete(store, made, list);
          await rollbackIsExact(store, made, choice);
        },
        runs,
      );
    },
  );

  // **Feature: checkpoint-system, Property 2: Content addressing is sound**
  // **Validates: Requirements 4.1, 4.2, 5.3**
  check(
    'equal contents have the same id, are stored once, and keep their exact bytes (O15)',
    async ({ store }) => {
      const contents = fc.oneof(
        fc.uint8Array({ maxLength: 3000 }),
        fc.string({ maxLength: 400 }).map((t) => Buffer.from(t)),
      );
      const known = new Map<BlobId, string>();
      await checkPropertyAsync(
        contents,
        async (content) => {
          const bytes = Buffer.from(content);
          const blob = blobOf(store, bytes);
          assert.is(blobOf(store, Buffer.from(bytes)), blob);
          assert.is(known.get(blob) ?? bytes.toString('latin1'), bytes.toString('latin1'));
          known.set(blob, bytes.toString('latin1'));
          const id = await capture(store, new Map([['f', file(bytes)]]));
          assert.is(await capture(store, new Map([['f', file(bytes)]])), id);
          assert.ok((await bytesOfBlob(store, blob)).equals(bytes));
        },
        runs,
      );
      assert.is((await store.usage()).blobs, known.size);
    },
  );

  // **Feature: checkpoint-system, Property 5: Differences are right**
  // **Validates: Requirements 2.3, 7.1, 7.2**
  check('a diff lists every changed path, and git can apply its unified text (O18)', async ({ store }) => {
    const lines = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
      .map((list) => list.join('\n'));
    await checkPropertyAsync(
      fc.tuple(trees, trees, lines, lines),
      async ([one, two, before, after]) => {
        const from: PlainTree = new Map([...one, ['text', file(before)]]);
        const to: PlainTree = new Map([...two, ['text', file(after)]]);
        const [a, b] = [await capture(store, from), await capture(store, to)];
        const changes = await store.changes(a, b);
        assert.equal(changesShown(changes), differences(from, to));
        assert.is(a === b, changes.length === 0);
        for (const { path, before: old, after: now } of changes) {
          assert.equal(old, await store.entry(a, path));
          assert.equal(now, await store.entry(b, path));
        }
        const git = await store.gitTrees(a, b);
        try {
          // Git does not report changes of strict permissions; only the daemon's own comparison does.
          const names = ['diff', '--no-renames', '--name-status', '-z', git.from, git.to];
          const seen = statusesOf(
            execFileSync('git', [`--git-dir=${git.gitDir}`, ...names], { env: plainGit }),
          );
          assert.equal(seen, differences(withoutPermissions(from), withoutPermissions(to)));
          const texts = (await unifiedText(git)).toString('latin1').split(/^(?=diff --git )/m);
          const patch = texts.find((text) => text.startsWith('diff --git a/text b/text\n')) ?? '';
          assert.is(applyUnified(before, patch), after);
        } finally {
          await git.dispose();
        }
      },
      runs,
    );
  });

  // **Feature: checkpoint-system, Property 6: Garbage collection is safe**
  // **Validates: Requirements 4.3**
  check('a sweep removes only contents that no remaining checkpoint needs (O19)', async (rig) => {
    const removed = fc.array(fc.boolean(), { minLength: 3, maxLength: 3 });
    await checkPropertyAsync(
      fc.array(fc.tuple(histories, removed), { minLength: sweptTogether, maxLength: sweptTogether }),
      async (several) => {
        await rig.store.remove((await rig.store.checkpoints()).map(({ record }) => record.id));
        // Publishing costs less if the store has removed nothing since it was opened.
        const store = await rig.reopen();
        const [gone, left]: [Made[], Made[]] = [[], []];
        for (const [history, isRemoved] of several) {
          for (const [i, made] of (await publishAll(store, history)).entries())
            (isRemoved[i] ? gone : left).push(made);
        }
        await checkpoint(store, new Map(), { seq: nextSeq() });
        await store.remove(gone.map(({ stored }) => stored.record.id));
        await store.sweep();
        if (hooks.collect !== undefined) {
          await hooks.collect(rig.directory);
          await store.sweep();
        }
        const blobsOf = (list: readonly Made[]): Set<BlobId> =>
          new Set(list.flatMap(({ tree }) => [...tree.values()].map(({ bytes }) => blobOf(store, bytes))));
        const needed = blobsOf(left);
        const orphans = [...blobsOf(gone)].filter((blob) => !needed.has(blob));
        assert.equal(
          await store.sizes(orphans),
          orphans.map(() => -1),
        );
        for (const { tree, stored } of left)
          assert.equal(shown(await contentsOf(store, stored.record.snapshot)), shown(tree));
      },
      runs / sweptTogether,
    );
  });
}

// **Feature: checkpoint-system, Property 1: Checkpoint creation is complete**
// **Validates: Requirements 1.1, 1.2, 1.3, 5.1, 5.2**
async function creationIsComplete(
  store: SnapshotStore,
  made: readonly Made[],
  list: readonly StoredCheckpoint[],
): Promise<void> {
  assert.equal(
    list,
    made.map(({ stored }) => stored),
    'every record is listed as it was published, with its parent',
  );
  for (const { tree, stored, parent } of made) {
    assert.equal(shown(await contentsOf(store, stored.record.snapshot)), shown(tree), 'every content');
    if (parent === undefined) continue;
    const changes = await store.changes(parent.stored.record.snapshot, stored.record.snapshot);
    assert.equal(changesShown(changes), differences(parent.tree, tree), 'the kind of every change');
  }
}

// **Feature: checkpoint-system, Property 3: Rollback round trip**
// **Validates: Requirements 3.1, 3.2**
async function rollbackIsExact(store: SnapshotStore, made: readonly Made[], choice: number): Promise<void> {
  const target = made[choice % made.length];
  const head = made.at(-1);
  assert.ok(target !== undefined && head !== undefined);
  const wanted = target.stored.record.snapshot;
  const present = new Map<string, PlainFile>(head.tree);
  for (const { path, after } of await store.changes(head.stored.record.snapshot, wanted)) {
    if (after === undefined) present.delete(path);
    else {
      const bytes = await bytesOfBlob(store, after.blob);
      const { mode, permissions } = after;
      present.set(path, { bytes, mode, ...(permissions === undefined ? {} : { permissions }) });
    }
  }
  assert.equal(shown(present), shown(target.tree), 'every file is as it was');
  const parent = target.stored.record.id;
  const after = await checkpoint(store, present, {
    seq: nextSeq(),
    kind: 'restore',
    restored: parent,
    parent,
  });
  assert.is(after.snapshot, wanted, 'the new checkpoint holds the tree of the old one');
  const list = await listedFrom(store, made);
  assert.is(list.length, made.length + 1);
  assert.is(list.at(-1)?.record.restored, parent);
}

// **Feature: checkpoint-system, Property 4: Checkpoint history is ordered**
// **Validates: Requirements 2.1**
function historyIsOrdered(made: readonly Made[], list: readonly StoredCheckpoint[]): void {
  assert.equal(
    list.map(({ record }) => [record.seq, record.id, record.timestamp]),
    made.map(({ stored: { record } }) => [record.seq, record.id, record.timestamp]),
    'the list is in the order of creation, for any times',
  );
}

// **Feature: checkpoint-system, Property 7: Details of a checkpoint are complete**
// **Validates: Requirements 2.2**
async function detailsAreComplete(
  store: SnapshotStore,
  made: readonly Made[],
  list: readonly StoredCheckpoint[],
): Promise<void> {
  const empty = await capture(store, new Map());
  const byId = new Map<CheckpointId, StoredCheckpoint>(list.map((stored) => [stored.record.id, stored]));
  for (const { tree, stored, parent } of made) {
    const record = byId.get(stored.record.id)?.record;
    assert.ok(record !== undefined);
    assert.is(record.message, stored.record.message);
    assert.is(record.timestamp, stored.record.timestamp);
    const base = record.parent === undefined ? empty : byId.get(record.parent)?.record.snapshot;
    assert.ok(base !== undefined);
    const changes = await store.changes(base, record.snapshot);
    assert.equal(
      changesShown(changes),
      differences(parent?.tree ?? new Map(), tree),
      'all changed files with their kinds',
    );
    const sizes = await store.sizes(changes.flatMap(({ after }) => after?.blob ?? []));
    const paths = changes.flatMap(({ path, after }) => (after === undefined ? [] : [path]));
    assert.equal(
      sizes,
      paths.map((path) => tree.get(at(path))?.bytes.length),
    );
  }
}

/** The environment of a git that reads no configuration of this machine. */
const plainGit = { PATH: process.env.PATH ?? '', GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };

function withoutPermissions(tree: PlainTree): PlainTree {
  return new Map([...tree].map(([path, { bytes, mode }]) => [path, { bytes, mode }] as const));
}

/** Returns `git diff --name-status -z` in the format of {@link differences}. */
function statusesOf(output: Buffer): string[] {
  const words: Record<string, string> = { A: 'added', D: 'deleted', M: 'modified', T: 'modified' };
  const parts = output.toString('latin1').split('\0');
  const list: string[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2)
    list.push(`${words[parts[i] ?? ''] ?? parts[i]} ${parts[i + 1]}`);
  return list;
}
