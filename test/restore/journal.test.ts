import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId, SnapshotId } from '../../src/base/ids.ts';
import { installFault } from '../../src/base/seam.ts';
import { type RestoreIntent, RestoreJournal } from '../../src/restore/journal.ts';
import { sweepTemporaries } from '../../src/restore/temporaries.ts';
import { build, makeDirectory, model, path, remove, walk } from '../support/trees/model-tree.ts';

const intent: RestoreIntent = {
  id: '0123456789abcdefghjk',
  target: 'ckpt_a' as CheckpointId,
  snapshot: 'abc' as SnapshotId,
  safety: 'ckpt_b' as CheckpointId,
  mode: 'hard',
  scope: 'both',
  paths: [path('a\xff\n'), path('b')],
  onConflict: 'overwrite',
  directories: [path('d/e')],
  startedAt: '2026-01-01T00:00:00.000Z',
  extra: { conversation: 7 },
  root: undefined,
};

const saved = (): Promise<void> => Promise.resolve();

test('the note of a restore is read back unchanged, with names of any bytes, until it is removed', async () => {
  const root = makeDirectory();
  const journal = new RestoreJournal(`${root}/restore.json`);
  assert.equal(journal.read(), { kind: 'none' });
  await journal.write(intent, saved);
  assert.equal(new RestoreJournal(`${root}/restore.json`).read(), { kind: 'unfinished', intent });
  journal.remove();
  journal.remove();
  assert.equal(journal.read(), { kind: 'none' });
  remove(root);
});

test('the daemon syncs the note of a restore before it renames the note, and syncs the directory after each rename or removal', async () => {
  const root = makeDirectory();
  const calls: string[] = [];
  installFault((call) => calls.push(call));
  const journal = new RestoreJournal(`${root}/restore.json`);
  await journal.write(intent, saved);
  journal.remove();
  installFault(undefined);
  const order = calls.filter((call) => ['fsync', 'rename', 'rm'].includes(call));
  assert.equal(order, ['fsync', 'rename', 'fsync', 'rm', 'fsync']);
  remove(root);
});

test('a note with a device number, as an earlier version wrote it, still identifies the directory of the work tree', () => {
  const root = makeDirectory();
  const file = `${root}/restore.json`;
  const noted = { device: '64', inode: '12', born: '1700000000000000000' };
  writeFileSync(file, JSON.stringify({ version: 1, ...intent, root: noted }));
  const state = new RestoreJournal(file).read();
  assert.equal(state.kind === 'unfinished' && state.intent.root, {
    inode: '12',
    birth: '1700000000000000000',
  });
  remove(root);
});

test('a note with a flipped bit is refused, but a note without a checksum is accepted', async () => {
  const root = makeDirectory();
  const file = `${root}/restore.json`;
  const journal = new RestoreJournal(file);
  await journal.write(intent, saved);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/"mode":"\w+"/, '"mode":"sard"'));
  assert.is(journal.read().kind, 'unreadable');
  writeFileSync(file, text.replace(/,"sum":"\w+"/, ''));
  assert.equal(journal.read(), { kind: 'unfinished', intent });
  remove(root);
});

test('a note that cannot be parsed is reported and kept', () => {
  const root = makeDirectory();
  const journal = new RestoreJournal(`${root}/restore.json`);
  for (const text of ['', '{', 'null', '{"version":2,"id":"x"}', '{"version":1,"id":"x"}']) {
    writeFileSync(`${root}/restore.json`, text);
    assert.is(journal.read().kind, 'unreadable', text);
    assert.is(readFileSync(`${root}/restore.json`, 'utf8'), text);
  }
  remove(root);
});

test('the cleanup after a restore removes only temporary files of the restore, and moves directories back', async () => {
  const root = makeDirectory();
  const own = `.ckpt-tmp-${intent.id}`;
  mkdirSync(`${root}/outside`);
  writeFileSync(`${root}/outside/${own}-1`, 'canary');
  build(
    root,
    model({
      [`w/${own}-1`]: 'new content',
      [`w/d/e/${own}-2`]: 'new content',
      [`w/d/${own}-3/moved/in`]: 'not yet replaced',
      [`w/${own}-4/replaced/old`]: 'verified and replaced',
      'w/replaced': 'the new file',
      [`w/.git/${own}-5`]: 'not ours to look at',
      [`w/n/.git/${own}-6`]: 'not ours to look at',
      'w/.ckpt-tmp-kkkkkkkkkkkkkkkkkkkk-1': 'of another restore',
    }),
  );
  symlinkSync('../outside', `${root}/w/link`);
  const swept = await sweepTemporaries(`${root}/w`, intent.id);
  assert.equal(
    [...walk(`${root}/w`).keys()],
    [
      '.ckpt-tmp-kkkkkkkkkkkkkkkkkkkk-1',
      `.git/${own}-5`,
      'd/e/',
      'd/moved/in',
      'link',
      `n/.git/${own}-6`,
      'replaced',
    ],
  );
  assert.equal(swept, []);
  assert.ok(existsSync(`${root}/outside/${own}-1`));
  remove(root);
});

test.run();
