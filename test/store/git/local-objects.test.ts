// New objects are complete and synced before they get their names in the user's repository. If the daemon cannot write
// objects into this repository, the error says so.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { Tag } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import { localDriver } from '../../../src/store/strategies.ts';
import { capture, git, inTemporary, record, storeOptions } from '../../support/git-oracle.ts';
import { until } from '../../support/until.ts';

/** The path of the loose object with the content `a` and a newline. */
const looseA = '78/981922613b2afb6025042ff6bd878ac1994e85';

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

test('a publication lists only the directories that have new objects', () =>
  withRepository(async (_, open) => {
    const store = await open();
    const [listed, linked] = [new Set<string>(), new Set<string>()];
    installFault((call, path) => {
      const directory = /incoming.([0-9a-f]{2})/.exec(path)?.[1];
      if (directory !== undefined && call === 'readdir') listed.add(directory);
      if (directory !== undefined && call === 'link') linked.add(directory);
    });
    for (let seq = 1; seq <= 6; seq += 1) {
      const { snapshot } = await capture(store, { 'a.txt': `${seq}\n` });
      await store.publish({ record: record(seq, snapshot) });
      assert.ok(linked.size > 0);
      assert.equal([...listed].sort(), [...linked].sort());
      for (const directories of [listed, linked]) directories.clear();
    }
    await store.close();
  }));

test('new objects are synced, and reach the repository only when the checkpoint is published (R5)', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
    assert.not.ok(existsSync(join(gitDirectory, 'objects', looseA)));
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
    assert.ok(existsSync(join(gitDirectory, 'objects', looseA)));
    await store.close();
  }));

test('if a power cut leaves an empty object before the publication, the object never reaches the repository', () =>
  withRepository(async (gitDirectory, open) => {
    const first = await open();
    const { snapshot } = await capture(first, { 'a.txt': 'a\n' });
    const top = join(gitDirectory, '..', '..');
    const all = readdirSync(top, { encoding: 'utf8', recursive: true });
    const incoming = join(top, all.find((path) => path.endsWith(`incoming/${looseA}`)) ?? '');
    first.kill();
    rmSync(incoming);
    writeFileSync(incoming, '');
    const store = await open();
    const other = await capture(store, { 'b.txt': 'b\n' });
    assert.is.not(other.snapshot, snapshot);
    await store.publish({ record: record(1, other.snapshot) });
    git(gitDirectory, 'fsck', '--full', '--strict');
    await store.close();
  }));

test('if the store writes a lost object again, it syncs the directory of the object, even with the default durability', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    await store.publish({ record: record(1, snapshot) });
    await store.close();
    const objects = join(gitDirectory, 'objects');
    rmSync(join(objects, looseA));
    const calls: string[] = [];
    installFault((call, path) => {
      if (['open', 'link'].includes(call)) calls.push(`${call} ${path}`);
    });
    const again = await open();
    installFault(undefined);
    const linked = calls.findLastIndex((call) => call.startsWith('link '));
    assert.ok(linked >= 0 && calls.slice(linked).includes(`open ${join(objects, '78')}`), calls.join('\n'));
    await again.close();
  }));

test("if a power cut left an empty object in the user's repository, publishing replaces the object", () =>
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
  test(`if objects cannot be written to the repository (${code}), creating a checkpoint gives ${kind} and changes nothing`, () =>
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

test('objects that are copied from a storage on another disk survive a git prune between any two calls', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    let prunes = 0;
    installFault((call, target) => {
      if (call === 'link') throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
      if (!['open', 'rename'].includes(call) || !target.includes('/tmp_obj_') || (prunes += 1) > 4) return;
      git(gitDirectory, 'prune', '--expire=now');
    });
    await store.publish({ record: record(1, snapshot) });
    installFault(undefined);
    assert.ok(prunes > 4, `${prunes}`);
    await store.close();
    git(gitDirectory, 'fsck', '--strict');
  }));

test('if an error occurs after the refs have moved, the publication stays, and a missing object is restored later', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    const [entry] = await store.entries(snapshot);
    const id = entry?.blob ?? '';
    const file = join(gitDirectory, 'objects', id.slice(0, 2), id.slice(2));
    let isMoved = false;
    installFault((call, target) => {
      // After the publication, removes one object, as a prune by the user would.
      if (call === 'rm' && target.endsWith('ref-intent.json')) isMoved = true;
      if (isMoved && call === 'exists' && target === file) rmSync(file, { force: true });
      if (isMoved && call === 'link') throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    await store.publish({ record: record(1, snapshot), tag: '1' as Tag });
    installFault(undefined);
    assert.is((await store.checkpoints()).length, 1);
    await until('the object is linked again', () => existsSync(file));
    await store.close();
  }));

test('the store restores an object again if git prunes it after the first repair', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    const [entry] = await store.entries(snapshot);
    const id = entry?.blob ?? '';
    const file = join(gitDirectory, 'objects', id.slice(0, 2), id.slice(2));
    await store.publish({ record: record(1, snapshot), tag: '1' as Tag });
    rmSync(file);
    let isBack = false;
    installFault((call, target) => {
      if (call === 'link' && target.endsWith(id.slice(2))) isBack = true;
      if (!isBack || call !== 'exists' || target !== file) return;
      installFault(undefined);
      rmSync(file, { force: true });
    });
    await until('the object was linked, and removed again', () => isBack && !existsSync(file));
    await until('the object is linked again', () => existsSync(file));
    await store.close();
  }));

for (const [setting, file, ref, directory] of [
  ['group', 0o440, 0o660, 0o2770],
  ['all', 0o444, 0o664, 0o2775],
  ['0640', 0o440, 0o640, 0o2750],
] as const)
  test(`even with a strict umask, the daemon keeps a shared repository (${setting}) usable for all its users`, () =>
    inTemporary(async (temporary) => {
      const gitDir = join(temporary, 'work', '.git');
      const before = process.umask(0o077);
      try {
        git(temporary, 'init', '-q', `--shared=${setting}`, 'work');
        const store = await localDriver.open(storeOptions(temporary, { gitDirectory: gitDir }));
        const { snapshot } = await capture(store, { 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
        await store.publish({ record: record(1, snapshot), tag: '1' as Tag });
        git(gitDir, 'pack-refs', '--all');
        const packed = statSync(join(gitDir, 'packed-refs')).mode;
        await store.publish({ record: record(2, snapshot), tag: '2' as Tag });
        await store.remove([record(1, snapshot).id]);
        assert.is(statSync(join(gitDir, 'packed-refs')).mode, packed);
        await store.close();
      } finally {
        process.umask(before);
      }
      const modes = (top: string): Set<number> =>
        new Set(
          readdirSync(join(gitDir, top), { recursive: true, withFileTypes: true }).map(
            (entry) => statSync(join(entry.parentPath, entry.name)).mode & 0o7777,
          ),
        );
      assert.equal(modes('objects'), new Set([directory, file]));
      assert.equal(modes('refs/checkpointd'), new Set([directory, ref]));
    }));

test('after a packed ref is removed, packed-refs still has its permission bits', () =>
  withRepository(async (gitDirectory, open) => {
    const store = await open();
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    await store.publish({ record: record(1, snapshot), tag: '1' as Tag });
    git(gitDirectory, 'pack-refs', '--all');
    chmodSync(join(gitDirectory, 'packed-refs'), 0o664);
    await store.remove([record(1, snapshot).id]);
    assert.is(statSync(join(gitDirectory, 'packed-refs')).mode & 0o777, 0o664);
    await store.close();
  }));

test('the store opens even if a kill left lock files in the daemon’s own repository', () =>
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
