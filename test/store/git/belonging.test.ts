// Two storages may each have a session with the same id, for the same work tree and conversation. Only one of the two
// sessions can have its refs in the repository.
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointdError } from '../../../src/base/errors.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { localDriver } from '../../../src/store/strategies.ts';
import { capture, git, inTemporary, record, storeOptions } from '../../support/git-oracle.ts';

interface Rig {
  readonly work: string;
  /** Makes the directory of a session in the given storage, as the daemon does. Returns the path of the storage. */
  readonly stored: (storage: string) => string;
  readonly open: (storage: string) => Promise<GitStore>;
}

function withRepository(body: (rig: Rig) => Promise<void>): Promise<void> {
  return inTemporary(async (directory) => {
    const work = join(directory, 'work');
    mkdirSync(work);
    git(work, 'init', '-q', '--template=', '-b', 'main');
    const stored = (storage: string): string => {
      const session = join(directory, storage, 'session');
      mkdirSync(join(session, 'checkpointd'), { recursive: true });
      writeFileSync(join(session, 'checkpointd/session.json'), '{}');
      return join(directory, storage);
    };
    const open = async (storage: string): Promise<GitStore> =>
      (await localDriver.open(
        storeOptions(stored(storage), { gitDirectory: join(work, '.git') }),
      )) as GitStore;
    await body({ work, stored, open });
  });
}

/** Makes one checkpoint in the store, and then closes the store. */
async function keepOne(rig: Rig, storage: string): Promise<void> {
  const store = await rig.open(storage);
  await store.publish({ record: record(1, (await capture(store, { f: '1' })).snapshot) });
  await store.close();
}

async function count(store: GitStore): Promise<number> {
  const { length } = await store.checkpoints();
  await store.close();
  return length;
}

test('a storage refuses a session whose refs belong to another storage, and names this storage', () =>
  withRepository(async (rig) => {
    await keepOne(rig, 'one');
    const refused = await rig.open('two').catch((error: unknown) => error as CheckpointdError);
    assert.instance(refused, Error);
    const { kind, message } = refused as CheckpointdError;
    assert.is(kind, 'StrategyUnavailable');
    assert.match(message, join(rig.stored('one'), 'session'));
    assert.is(await count(await rig.open('one')), 1);
  }));

test('a copied storage gets the refs only if the original is lost; a moved storage always gets them', () =>
  withRepository(async (rig) => {
    await keepOne(rig, 'one');
    cpSync(rig.stored('one'), rig.stored('copy'), { recursive: true });
    assert.instance(await rig.open('copy').catch((error: unknown) => error), Error);
    rmSync(rig.stored('one'), { recursive: true });
    const copy = await rig.open('copy');
    await copy.publish({ record: record(2, (await capture(copy, { f: '2' })).snapshot) });
    assert.is(await count(copy), 2, 'the first is lost: the copy takes its place');
    assert.instance(await rig.open('one').catch((error: unknown) => error), Error);
    rmSync(rig.stored('moved'), { recursive: true });
    renameSync(rig.stored('copy'), join(rig.work, '..', 'moved'));
    assert.is(await count(await rig.open('moved')), 2);
    rmSync(rig.stored('moved'), { recursive: true });
    assert.is(await count(await rig.open('moved')), 2, 'the storage was lost, and the checkpoints are found');
  }));

test('a storage takes over refs that an older version left without an owner', () =>
  withRepository(async (rig) => {
    await keepOne(rig, 'one');
    git(rig.work, 'update-ref', '-d', 'refs/checkpointd/ses_test/owner');
    const store = await rig.open('one');
    assert.not.match(git(rig.work, 'for-each-ref', 'refs/checkpointd'), '/owner', 'a look writes nothing');
    await store.publish({ record: record(2, (await capture(store, { f: '2' })).snapshot) });
    assert.match(git(rig.work, 'for-each-ref', 'refs/checkpointd'), '/owner');
    await store.destroy();
    await store.close();
    assert.is(git(rig.work, 'for-each-ref', 'refs/checkpointd'), '');
    await count(await rig.open('two'));
  }));

test('git gc --prune=now keeps the record of the storage that owns the refs; if this record is damaged, the storage still opens', () =>
  withRepository(async (rig) => {
    await keepOne(rig, 'one');
    rmSync(join(rig.stored('one'), 'session/local/kept'), { recursive: true });
    git(rig.work, 'gc', '-q', '--prune=now');
    assert.instance(await rig.open('two').catch((error: unknown) => error), Error);
    const tree = git(rig.work, 'hash-object', '-w', '-t', 'tree', '--stdin').trim();
    git(rig.work, 'update-ref', 'refs/checkpointd/ses_test/owner', tree);
    assert.is(await count(await rig.open('one')), 1);
  }));

test.run();
