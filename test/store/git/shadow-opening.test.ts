// After a kill, opening a shadow repository repairs its refs, configuration, locks and interrupted changes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shadowDriver } from '../../../src/store/strategies.ts';
import { capture, git, inTemporary, record, storeOptions } from '../../support/git-oracle.ts';
import { open, tag } from './shadow-rig.ts';

test('opening the store repairs a corrupt ref, a garbled config and a lost HEAD (F58)', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    let store = await open(directory);
    const { snapshot } = await capture(store, { f: '1' });
    for (const seq of [1, 2, 3]) {
      await store.publish({
        record: record(seq, snapshot, { madeAs: tag(String(seq)) }),
        tag: tag(String(seq)),
        ...(seq === 3 ? { name: 'drei/\n' } : {}),
      });
    }
    const [named = ''] =
      git(shadow, '--git-dir=.', 'for-each-ref', '--format=%(refname)').match(/\S+names\S+/) ?? [];
    const lost = (await store.checkpoints())[1]?.record.id ?? '';
    await store.close();
    writeFileSync(join(shadow, 'refs/tags/1'), '');
    writeFileSync(join(shadow, `refs/checkpointd/checkpoints/${lost}`), 'garbage');
    writeFileSync(join(shadow, named), 'garbage');
    writeFileSync(join(shadow, 'config'), '\0\0\0');
    rmSync(join(shadow, 'HEAD'));
    rmSync(join(shadow, 'refs/heads'), { recursive: true });
    store = await open(directory);
    assert.equal(
      (await store.checkpoints()).map(({ tag }) => tag),
      ['1', '2', '3'],
    );
    assert.is(
      (await store.checkpoints())[2]?.name,
      'drei/\n',
      'a name is given back to the checkpoint it names',
    );
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    const commit = git(shadow, '--git-dir=.', 'rev-parse', 'refs/tags/2').trim();
    rmSync(join(shadow, 'objects', commit.slice(0, 2), commit.slice(2)));
    await store.close();
    store = await open(directory);
    assert.equal(
      (await store.checkpoints()).map(({ tag }) => tag),
      ['1', '3'],
    );
    assert.equal(await store.verify(), [{ kind: 'missing', what: commit, affects: [lost] }]);
    await store.close();
  }));

for (const [how, text] of [
  ['not JSON', '{'],
  ['not a list', '{}'],
  ['changed after it was written', '{"changes":[{"ref":"refs/tags/2","to":null}],"sum":"00000000"}'],
  ['about names other than refs', '[{"ref":"HEAD","to":null}]'],
] as const)
  test(`if the note of a change of refs is ${how}, it is moved aside and reported, and no ref moves (F58)`, () =>
    inTemporary(async (directory) => {
      const shadow = join(directory, 'session');
      let store = await open(directory);
      const { snapshot } = await capture(store, { f: '1' });
      for (const seq of [1, 2]) await store.publish({ record: record(seq, snapshot), tag: tag(String(seq)) });
      await store.close();
      writeFileSync(join(shadow, 'checkpointd/ref-intent.json'), text);
      store = await open(directory);
      assert.equal(
        (await store.checkpoints()).map(({ tag }) => tag),
        ['1', '2'],
      );
      const [problem] = await store.verify();
      assert.is(problem?.kind, 'corrupt');
      assert.match(problem?.what ?? '', 'ref-intent.json.damaged-');
      assert.is(readFileSync(problem?.what ?? '', 'utf8'), text);
      await store.close();
    }));

test('opening the store removes locks and temporary files of a dead daemon (F59)', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    await (await open(directory)).close();
    mkdirSync(join(shadow, 'objects/aa'));
    const stale = [
      'index.lock',
      'refs/tags/2.lock',
      'packed-refs.lock',
      'HEAD.lock',
      'objects/aa/tmp_obj_x',
      'objects/pack/tmp_pack_x',
      'checkpointd/spool/x',
    ];
    for (const each of stale) writeFileSync(join(shadow, each), '');
    const store = await open(directory);
    for (const each of stale) assert.not.ok(existsSync(join(shadow, each)), `${each} is gone`);
    const { snapshot } = await capture(store, { f: '1' });
    await store.publish({ record: record(1, snapshot), tag: tag('2') });
    await store.close();
  }));

test('reopening the store finishes an interrupted change of refs', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    let store = await open(directory);
    const { snapshot } = await capture(store, { f: '1' });
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    const { commit } = await store.publish({ record: record(2, snapshot) });
    await store.close();
    const id = record(1, snapshot).id;
    const changes = [
      { ref: 'refs/tags/1', to: commit },
      { ref: `refs/checkpointd/checkpoints/${id}`, to: null },
    ];
    writeFileSync(join(shadow, 'checkpointd/ref-intent.json'), JSON.stringify(changes));
    writeFileSync(join(shadow, 'refs/tags/1.lock'), '');
    store = await open(directory);
    assert.equal(
      (await store.checkpoints()).map(({ record, tag }) => [record.seq, tag]),
      [[2, '1']],
    );
    assert.not.ok(existsSync(join(shadow, 'checkpointd/ref-intent.json')));
    await store.close();
  }));

test('the store opens even if a kill left an unfinished repository with lock files', () =>
  inTemporary(async (directory) => {
    const session = join(directory, 'session');
    mkdirSync(session);
    for (const name of ['HEAD.lock', 'config.lock']) writeFileSync(join(session, name), '');
    const store = await shadowDriver.open(storeOptions(directory));
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    await store.publish({ record: record(1, snapshot) });
    assert.is((await store.checkpoints()).length, 1);
    await store.close();
  }));

test.run();
