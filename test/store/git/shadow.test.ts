// Tests that the shadow repository has the specified layout, settings, tags and records.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { capture, git, path, record } from '../../support/git-oracle.ts';
import { rejects, tag, withShadow } from './shadow-rig.ts';

test('the shadow repository is private, and has the specified layout and settings (Q13, Q35)', () =>
  withShadow(async (store, shadow) => {
    const there = readdirSync(shadow, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of [
      'HEAD',
      'config',
      'description',
      'hooks',
      'info/exclude',
      'objects/info',
      'objects/pack',
      'refs/heads',
      'refs/tags',
    ]) {
      assert.ok(there.includes(name), `${name} is there`);
    }
    assert.equal(readdirSync(join(shadow, 'hooks')), []);
    assert.is(statSync(shadow).mode & 0o777, 0o700);
    const config = (key: string): string => git(shadow, '--git-dir=.', 'config', '--local', key).trim();
    assert.is(config('user.name'), 'Q');
    assert.is(config('user.email'), 'qcli@local');
    assert.is(config('core.preloadindex'), 'true');
    assert.is(config('core.bare'), 'true');
    assert.is(store.spoolDirectory, join(shadow, 'checkpointd', 'spool'));
    assert.equal(await store.checkpoints(), []);
  }));

test('plain git shows a checkpoint’s tag as a git tag, and its description as the subject of the commit (Q17, Q35)', () =>
  withShadow(async (store, shadow) => {
    const { snapshot } = await capture(store, { f: '1' });
    const nasty =
      'First line\n\ncheckpointd-record-1\n{"id":"ckpt_x"}\n\nSigned-off-by: x\r\u001b[31mred\0 \ud800 \u2028é\n';
    const first = record(1, snapshot, {
      description: nasty,
      message: nasty,
      skipped: [{ path: path('\xff\n'), reason: 'fifo' }],
    });
    await store.publish({ record: first, tag: tag('0'), name: 'before the storm' });
    await store.publish({ record: record(2, snapshot, { description: '' }), tag: tag('1') });
    await store.publish({ record: record(3, snapshot, { description: 'Read é' }), tag: tag('1.1') });
    assert.is(git(shadow, '--git-dir=.', 'tag'), '0\n1\n1.1\n');
    assert.is(git(shadow, '--git-dir=.', 'log', '-1', '--format=%s', '1.1'), 'Read é\n');
    assert.is(git(shadow, '--git-dir=.', 'log', '-1', '--format=%an <%ae>', '1.1'), 'Q <qcli@local>\n');
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    const list = await store.checkpoints();
    assert.equal(list[0]?.record, first);
    assert.equal(
      list.map(({ tag, name }) => [tag, name]),
      [
        ['0', 'before the storm'],
        ['1', undefined],
        ['1.1', undefined],
      ],
    );
  }));

test('a tag moves to a new checkpoint in one step; renaming or removing a checkpoint updates its refs (Q17)', () =>
  withShadow(async (store, shadow) => {
    const { snapshot } = await capture(store, { f: '1' });
    const [one, two] = [record(1, snapshot), record(2, snapshot)];
    const long = 'n'.repeat(128);
    await store.publish({ record: one, tag: tag('1'), name: long });
    const { commit } = await store.publish({ record: two, tag: tag('1'), name: 'two' });
    assert.is(git(shadow, '--git-dir=.', 'rev-parse', 'refs/tags/1').trim(), commit);
    assert.equal(
      (await store.checkpoints()).map(({ tag, name }) => [tag, name]),
      [
        [undefined, long],
        ['1', 'two'],
      ],
    );
    await store.rename(one.id, 'naïve/name with ..');
    await store.rename(two.id, undefined);
    assert.equal(
      (await store.checkpoints()).map(({ name }) => name),
      ['naïve/name with ..', undefined],
    );
    await store.remove([two.id]);
    assert.equal(
      (await store.checkpoints()).map(({ record, tag }) => [record.id, tag]),
      [[one.id, undefined]],
    );
    assert.is(git(shadow, '--git-dir=.', 'tag'), '');
    await rejects(store.rename(two.id, 'x'), 'UnknownCheckpoint');
    for (const bad of ['-d', '../x', 'HEAD', '1/1', '01', '1\n2', '--upload-pack=x']) {
      await rejects(store.publish({ record: record(9, snapshot), tag: tag(bad) }), 'InvalidTag');
    }
    assert.is((await store.checkpoints()).length, 1);
  }));

test.run();
