// Tests that the shadow repository's trees are like those of git: the same ids, any names, and the same differences.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  capture,
  contents,
  git,
  inTemporary,
  path,
  record,
  type TestFile,
} from '../../support/git-oracle.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { open, tag, withShadow } from './shadow-rig.ts';

const name = fc
  .string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 4,
  })
  .filter((text) => !text.includes('/') && !['.', '..', '.git', 'git~1'].includes(text.toLowerCase()));

const file: fc.Arbitrary<TestFile> = fc.record({
  bytes: fc.uint8Array({ maxLength: 40 }),
  mode: fc.constantFrom('100644', '100755'),
});

const leaf = fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), file), { maxLength: 12 });

/** Writes a tree to the disk, but skips names that collide. Returns the written files. */
function build(directory: string, leaves: [string[], TestFile][]): Record<string, TestFile> {
  const tree: Record<string, TestFile> = {};
  for (const [parts, each] of leaves) {
    const at = parts.join('/');
    const clash = Object.keys(tree).some(
      (other) => `${other}/`.startsWith(`${at}/`) || `${at}/`.startsWith(`${other}/`),
    );
    if (clash) continue;
    const target = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(at, 'latin1')]);
    mkdirSync(target.subarray(0, target.lastIndexOf(47)), { recursive: true });
    writeFileSync(target, each.bytes);
    chmodSync(target, each.mode === '100755' ? 0o755 : 0o644);
    tree[at] = each;
  }
  return tree;
}

test('a snapshot has the same tree id as git add -A and git write-tree', () =>
  inTemporary(async (directory) => {
    const store = await open(directory);
    let run = 0;
    try {
      await checkPropertyAsync(
        leaf,
        async (leaves) => {
          run += 1;
          const work = join(directory, `work${run}`);
          mkdirSync(work);
          const tree = build(work, leaves);
          git(work, 'init', '-q');
          git(work, '-c', 'core.fileMode=true', 'add', '-A', '-f');
          const expected = git(work, 'write-tree').trim();
          const { snapshot } = await capture(store, tree);
          assert.is(snapshot, expected);
          const back = await contents(store, snapshot);
          // Both lists are sorted, because an object lists its numeric keys first.
          assert.equal(Object.keys(back).sort(), Object.keys(tree).sort());
          for (const [at, { bytes }] of Object.entries(tree))
            assert.equal(back[at], Buffer.from(bytes).toString('latin1'));
        },
        40,
      );
      git(directory, '--git-dir=session', 'fsck', '--strict', '--full');
    } finally {
      await store.close();
    }
  }));

test('the store accepts names with newlines, quotes, dashes or pathspec magic, and names that are not UTF-8 (O30)', () =>
  withShadow(async (store, shadow) => {
    const names = [
      'new\nline',
      'cr\r',
      '"quoted"',
      '-x',
      '--upload-pack=x',
      ':(top)x',
      ':!x',
      '*',
      '?',
      '[a]',
      '\\n',
      ' lead',
      'trail ',
      'tab\tx',
      '\xff\xfe',
      '\xe9',
      '\x01',
      "'",
      '$(x)',
      'a'.repeat(255),
      '.gitx',
    ];
    assert.is(names.length, 21);
    const tree = Object.fromEntries(names.map((each, index) => [each, `content ${index}`]));
    const { snapshot } = await capture(store, { ...tree, 'd\nir/\xff': 'below' });
    assert.equal(
      await contents(store, snapshot),
      Object.fromEntries(
        Object.entries({ ...tree, 'd\nir/\xff': 'below' }).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    );
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
  }));

test('equal trees have equal ids; trees that differ in strict permissions have different ids', () =>
  withShadow(async (store) => {
    const plain = await capture(store, { '.env': 'K=1', 'd/f': 'x' });
    const again = await capture(store, { 'd/f': 'x', '.env': 'K=1' });
    assert.is(again.snapshot, plain.snapshot);
    const secret: TestFile = { bytes: Buffer.from('K=1'), permissions: 0o600 };
    const strict = await capture(store, { '.env': secret, 'd/f': 'x' });
    assert.is.not(strict.snapshot, plain.snapshot);
    assert.is((await store.entry(strict.snapshot, path('.env')))?.permissions, 0o600);
    assert.is((await store.entry(strict.snapshot, path('d/f')))?.permissions, undefined);
    const changes = await store.changes(plain.snapshot, strict.snapshot);
    assert.equal(
      changes.map((change) => [change.path, change.before?.permissions, change.after?.permissions]),
      [['.env', undefined, 0o600]],
    );
    const root = await store.directory(strict.snapshot);
    const writer = store.writer();
    assert.is(await writer.seal(root), strict.snapshot);
    const below = root.entries.get('d');
    assert.ok(below !== undefined && 'entries' in below);
    below.permissions = 0o700;
    const locked = await store.writer().seal(root);
    assert.is((await store.directoryPermissions(locked)).get(path('d')), 0o700);
    await store.publish({ record: record(1, locked) });
    await store.sweep();
    assert.is((await store.entry(locked, path('.env')))?.permissions, 0o600);
  }));

test('comparing two snapshots lists exactly the paths that differ, even if files became directories', () =>
  withShadow(async (store) => {
    const a = await capture(store, { same: '1', 'x/y': '2', z: '3', 'deep/er/f': '4' });
    const b = await capture(store, { same: '1', x: '5', 'z/z': '3', 'deep/er/f': '4', 'deep/new': '6' });
    const changes = await store.changes(a.snapshot, b.snapshot);
    const shape = changes.map(({ path, before, after }) => `${before ? '-' : ''}${after ? '+' : ''}${path}`);
    assert.equal(shape, ['+deep/new', '+x', '-x/y', '-z', '+z/z']);
    assert.equal(await store.changes(a.snapshot, a.snapshot), []);
    assert.equal(
      (await store.entries(a.snapshot, path('x'))).map((entry) => entry.path),
      ['x/y'],
    );
    assert.equal(
      (await store.entries(a.snapshot, path('z'))).map((entry) => entry.path),
      ['z'],
    );
    assert.equal(await store.entries(a.snapshot, path('nope')), []);
  }));

test.run();
