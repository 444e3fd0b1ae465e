// How objects go into the user's own repository: whole and on the disk before they have a name there, and with a clear
// answer where the repository does not take them.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { installFault } from '../../../src/base/seam.ts';
import { localDriver } from '../../../src/store/git/local-driver.ts';
import { capture, git, inTemporary, record, storeOptions } from '../../support/git-oracle.ts';

async function withRepository(
  body: (gitDirectory: string, open: () => ReturnType<typeof localDriver.open>) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    git(directory, 'init', '-q', 'work');
    const gitDirectory = join(directory, 'work', '.git');
    try {
      await body(gitDirectory, () => localDriver.open(storeOptions(directory, { gitDirectory })));
    } finally {
      installFault(undefined);
    }
  });
}

test('every object is synced before it is linked, and its directory after, in the default durability too', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
    const calls: string[] = [];
    installFault((call, path) => {
      if (['open', 'fsync', 'link'].includes(call)) calls.push(`${call} ${path}`);
    });
    await store.publish({ record: record(1, snapshot) });
    installFault(undefined);
    const links = calls.filter((call) => call.startsWith('link '));
    assert.ok(links.length >= 5, calls.join('\n'));
    const before = calls.slice(0, calls.indexOf(links[0] ?? ''));
    const after = calls.slice(calls.lastIndexOf(links.at(-1) ?? '') + 1);
    for (const link of links) assert.ok(before.includes(`open ${link.slice('link '.length)}`), link);
    assert.ok(before.filter((call) => call.startsWith('fsync ')).length >= links.length);
    assert.ok(after.includes(`open ${join(gitDirectory, 'objects')}`));
    await store.close();
  }));

test('an object of theirs that a power cut left empty is replaced by ours, which is whole', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    const [entry] = await store.entries(snapshot);
    const id = entry?.blob ?? '';
    const file = join(gitDirectory, 'objects', id.slice(0, 2), id.slice(2));
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '');
    await store.publish({ record: record(1, snapshot) });
    assert.ok(statSync(file).size > 0);
    assert.is(git(gitDirectory, 'cat-file', 'blob', id), 'a\n');
    await store.close();
  }));

for (const [code, kind] of [
  ['EACCES', 'ReadOnlyStore'],
  ['EROFS', 'ReadOnlyStore'],
  ['ENOSPC', 'NoSpace'],
  ['EIO', 'StoreUnavailable'],
] as const) {
  test(`objects that the repository refuses with ${code}: ${kind}, with a remedy and without effect`, () =>
    withRepository(async (gitDirectory, open) => {
      const store = await open();
      const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
      installFault((call) => {
        if (call === 'link') throw Object.assign(new Error(code), { code });
      });
      const outcome = await store.publish({ record: record(1, snapshot) }).then(
        () => undefined,
        (error: unknown) => error,
      );
      installFault(undefined);
      assert.instance(outcome, CheckpointdError);
      if (!(outcome instanceof CheckpointdError)) return;
      assert.equal([outcome.kind, outcome.effects], [kind, 'none']);
      assert.ok(outcome.message.includes(join(gitDirectory, 'objects')));
      assert.equal(await store.checkpoints(), []);
      await store.publish({ record: record(1, snapshot) });
      assert.is((await store.checkpoints()).length, 1);
      await store.close();
    }));
}

test('a lock that a kill left in a repository of ours keeps no session from opening', () =>
  withRepository(async (gitDirectory, open) => {
    const first = await open();
    await first.close();
    const own = join(gitDirectory, '..', '..', 'session', 'local');
    for (const name of ['HEAD.lock', 'config.lock']) writeFileSync(join(own, 'view.git', name), '');
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    await store.publish({ record: record(1, snapshot) });
    await store.close();
    assert.is(readFileSync(join(own, 'view.git', 'HEAD'), 'utf8'), 'ref: refs/heads/main\n');
  }));

test.run();
