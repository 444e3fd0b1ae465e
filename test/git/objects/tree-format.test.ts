import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { objectId } from '../../../src/git/objects/object.ts';
import { decodeTree, emptyTree, encodeTree, type TreeItem } from '../../../src/git/objects/tree-format.ts';
import { git, gitBytes, inTemporary } from '../../support/git-oracle.ts';
import { checkPropertyAsync } from '../../support/property.ts';

const blob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const name = fc
  .string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 6,
  })
  .filter((text) => !text.includes('/') && !['.', '..', '.git', 'git~1'].includes(text.toLowerCase()));
const item: fc.Arbitrary<TreeItem> = fc.record(
  {
    name,
    mode: fc.constantFrom('100644', '100755', '120000', '040000'),
    id: fc.string({
      unit: fc.integer({ min: 0, max: 15 }).map((digit) => digit.toString(16)),
      minLength: 40,
      maxLength: 40,
    }),
  },
  { noNullPrototype: true },
);

test('a tree of valid names and modes is read back unchanged', async () => {
  await checkPropertyAsync(
    fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 30 }),
    async (items) => {
      const bytes = await encodeTree(items);
      const back = await decodeTree(bytes, objectId('tree', bytes));
      const byName = (a: TreeItem, b: TreeItem): number => (a.name < b.name ? -1 : 1);
      assert.equal([...back].sort(byName), [...items].sort(byName));
      assert.equal(await encodeTree([...items].reverse()), bytes);
    },
  );
});

test('in a tree, files and directories have the same order as in git add and git write-tree', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q');
    const names = [
      'a',
      'a.b',
      'a-b',
      'a0',
      'ab',
      'B',
      'é',
      '-x',
      ' ',
      '"q"',
      'tab\t',
      'new\nline',
      'cr\r',
      '~',
    ];
    for (const each of names) writeFileSync(join(directory, each), '');
    mkdirSync(join(directory, 'a.'));
    writeFileSync(join(directory, 'a.', 'f'), '');
    mkdirSync(join(directory, 'a='));
    writeFileSync(join(directory, 'a=', 'f'), '');
    git(directory, 'add', '-A');
    const tree = git(directory, 'write-tree').trim();
    const bytes = gitBytes(directory, 'cat-file', 'tree', tree);
    const items = await decodeTree(bytes, tree);
    assert.is(items.length, names.length + 2);
    assert.equal(await encodeTree([...items].reverse()), bytes);
    assert.is(objectId('tree', await encodeTree(items)), tree);
  }));

test('a tree is refused if it has invalid or double names, a wrong order, odd modes or missing bytes (F56)', async () => {
  const raw = (...entries: [mode: string, name: string][]): Buffer =>
    Buffer.concat(
      entries.map(([mode, name]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(blob, 'hex')]),
      ),
    );
  const bad: Buffer[] = [
    raw(['40000', '.git']),
    raw(['100644', '.GiT']),
    raw(['40000', 'git~1']),
    raw(['40000', '..']),
    raw(['40000', '.']),
    raw(['100644', '']),
    raw(['100644', 'a/b']),
    raw(['100644', 'a'], ['100644', 'a']),
    raw(['100644', 'a'], ['100755', 'b'], ['40000', 'a']),
    raw(['100644', 'b'], ['100644', 'a']),
    raw(['100666', 'a']),
    raw(['160000', 'a']),
    raw(['040000', 'a']),
    raw(['100644', 'a']).subarray(0, 20),
    Buffer.from('rubbish'),
  ];
  for (const [index, bytes] of bad.entries()) {
    const outcome: unknown = await decodeTree(bytes, 'id').catch((error: unknown) => error);
    const isRefused = outcome instanceof CheckpointdError && outcome.kind === 'StoreCorrupt';
    assert.ok(isRefused, `tree ${index} is refused`);
  }
  assert.is((await decodeTree(raw(['100644', 'a']), 'id')).length, 1);
});

test('the tree of a directory with ten thousand names equals git’s tree, whatever the order of the names', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q');
    const items: TreeItem[] = [];
    for (let i = 0; i < 10_000; i += 1) {
      const mode = i % 7 === 0 ? '040000' : '100644';
      const id = mode === '040000' ? emptyTree : blob;
      items.push({ name: `${((i * 7919) % 10_007).toString(36)}${i % 3 === 0 ? '.' : ''}`, mode, id });
    }
    const lines = items.map(
      ({ name, mode, id }) => `${mode} ${mode === '040000' ? 'tree' : 'blob'} ${id}\t${name}\n`,
    );
    const args = ['-C', directory, 'mktree', '--missing'];
    const tree = execFileSync('git', args, { input: lines.join(''), encoding: 'utf8' }).trim();
    assert.is(objectId('tree', await encodeTree(items)), tree);
    const back = await decodeTree(await encodeTree(items), tree);
    assert.is(back.length, items.length);
  }));

test('a tree with an invalid name is never written', async () => {
  for (const each of ['', '.', '..', '.git', '.GIT', 'a/b', 'a\0b']) {
    await fails([{ name: each, mode: '100644', id: blob }]);
  }
  const twice: TreeItem = { name: 'a', mode: '100644', id: blob };
  await fails([twice, { ...twice, mode: '040000' }]);
  assert.is(objectId('tree', await encodeTree([])), emptyTree);
});

async function fails(items: readonly TreeItem[]): Promise<void> {
  const outcome = await encodeTree(items).catch(String);
  assert.match(String(outcome), /Invariant/);
}

test.run();
