// Tests damaged files in a shadow repository, as after a power cut, a bad copy or on a bad disk. Opening the store
// repairs or keeps as much as possible, and hides no checkpoint.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tag } from '../../../src/base/ids.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { capture, contents, git, inTemporary, record } from '../../support/git-oracle.ts';
import { open } from './shadow-rig.ts';

/** Makes a store of three tagged checkpoints, closes it, damages it, and opens it again. */
async function reopened(
  damage: (shadow: string) => void,
  body: (store: GitStore, shadow: string) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    const first = await open(directory);
    for (const seq of [1, 2, 3]) {
      const { snapshot } = await capture(first, { a: `a ${seq}`, [`d/${seq}`]: `d ${seq}` });
      await first.publish({
        record: { ...record(seq, snapshot), madeAs: String(seq) as Tag },
        tag: String(seq) as Tag,
      });
    }
    await first.close();
    const shadow = join(directory, 'session');
    damage(shadow);
    const store = await open(directory);
    try {
      await body(store, shadow);
    } finally {
      await store.close();
    }
  });
}

const packsOf = (shadow: string): string[] => readdirSync(join(shadow, 'objects/pack')).sort();

const tagsOf = async (store: GitStore): Promise<(string | undefined)[]> =>
  (await store.checkpoints()).map(({ tag }) => tag);

test('the store makes a new index for a pack that lost its index', () =>
  reopened(
    (shadow) => {
      git(shadow, '--git-dir=.', 'repack', '-adq');
      for (const name of packsOf(shadow))
        if (!name.endsWith('.pack')) rmSync(join(shadow, 'objects/pack', name), { force: true });
      assert.is(packsOf(shadow).length, 1);
    },
    async (store) => {
      assert.equal(await tagsOf(store), ['1', '2', '3']);
      assert.equal(await store.verify(), []);
      const [, second] = await store.checkpoints();
      assert.ok(second !== undefined);
      assert.equal(await contents(store, second.record.snapshot), { a: 'a 2', 'd/2': 'd 2' });
    },
  ));

test('the store keeps a damaged pack even if the pack has no index', () =>
  reopened(
    (shadow) =>
      writeFileSync(join(shadow, 'objects/pack', `pack-${'a'.repeat(40)}.pack`), 'PACK and no more'),
    async (store, shadow) => {
      assert.equal(packsOf(shadow), [`pack-${'a'.repeat(40)}.pack`]);
      assert.equal(await store.verify(), []);
    },
  ));

test('opening the store removes a partly imported pack, and the .keep file of this pack', () =>
  reopened(
    (shadow) => {
      for (const end of ['pack', 'keep'])
        writeFileSync(join(shadow, 'objects/pack', `pack-${'a'.repeat(40)}.${end}`), 'PACK and no more');
    },
    (_, shadow) => Promise.resolve(assert.equal(packsOf(shadow), [])),
  ));

const damages: readonly (readonly [string, (text: string) => string, number])[] = [
  ['a junk line', (text) => `${text}junk\n`, 3],
  ['a truncated end', (text) => text.slice(0, -9), 3],
  [
    'an invalid hash',
    (text) => text.replace(/^[0-9a-f]{12}(?=[0-9a-f]+ refs\/tags\/2$)/m, 'zzzzzzzzzzzz'),
    3,
  ],
  ['zero bytes', (text) => `${text}${'\0'.repeat(100)}`, 3],
  ['no heading', (text) => text.split('\n').slice(1).join('\n'), 3],
];

for (const [title, damage, tags] of damages) {
  test(`a packed-refs file with ${title} hides no checkpoint`, () => {
    let before = '';
    return reopened(
      (shadow) => {
        git(shadow, '--git-dir=.', 'pack-refs', '--all');
        before = damage(readFileSync(join(shadow, 'packed-refs'), 'latin1'));
        writeFileSync(join(shadow, 'packed-refs'), before, 'latin1');
      },
      async (store, shadow) => {
        assert.equal((await tagsOf(store)).length, tags);
        assert.equal(new Set(await tagsOf(store)), new Set(['1', '2', '3']));
        assert.equal(await store.verify(), []);
        const kept = readdirSync(shadow).filter((name) => name.startsWith('packed-refs.damaged-'));
        if (title === 'no heading') assert.equal(kept, []);
        else assert.is(readFileSync(join(shadow, kept[0] ?? ''), 'latin1'), before);
        const { snapshot } = await capture(store, { a: 'later' });
        await store.publish({ record: record(4, snapshot), tag: '4' as Tag });
        assert.is((await store.checkpoints()).length, 4);
      },
    );
  });
}

test('store/verify names every damaged directory and content of a checkpoint', () =>
  inTemporary(async (directory) => {
    const store = await open(directory);
    try {
      const files = { 'one/a': 'a', 'two/b': 'b', c: 'c' };
      const { snapshot } = await capture(store, files);
      const published = record(1, snapshot);
      await store.publish({ record: published, tag: '1' as Tag });
      const shadow = join(directory, 'session');
      const damaged = ['one', 'two', 'c'].map((path) =>
        git(shadow, '--git-dir=.', 'rev-parse', `${snapshot.slice(0, 40)}:${path}`).trim(),
      );
      for (const object of damaged) rmSync(join(shadow, 'objects', object.slice(0, 2), object.slice(2)));
      const problems = await store.verify();
      assert.equal(
        problems.map(({ kind, what, affects }) => `${kind} ${what} ${String(affects)}`).sort(),
        damaged.map((what) => `missing ${what} ${published.id}`).sort(),
      );
    } finally {
      await store.close();
    }
  }));

test.run();
