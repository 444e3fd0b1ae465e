// A restore can be answered before its files are on the disk. After a power cut, the next opening restores the lost
// files. After a kill without a power cut, the next opening repeats nothing. The tests simulate a power cut: they
// damage the files, and change the boot id in the note.
import { existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { Session } from '../../src/session/session.ts';
import { git } from '../support/git-oracle.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { rewriteRecord } from '../support/stores/rewritten-record.ts';
import { until } from '../support/until.ts';

const notesOf = ({ parts: { directory } }: Session): string[] =>
  readdirSync(directory.own)
    .filter((name) => /^restored-.*\.json$/.test(name))
    .map((name) => join(directory.own, name));

/** Makes a session that has restored turn 1 and sent the answer. None of the restored files is on the disk yet. */
async function answered(rig: SessionRig): Promise<Session> {
  const session = await rig.open();
  for (const name of ['a', 'b', 'c', 'd']) rig.write(name, `${name} one\n`);
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  for (const name of ['a', 'b', 'c']) rig.write(name, `${name} two\n`);
  rmSync(join(rig.work, 'd'));
  rig.write('later', 'made later\n');
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  await restoreUnsynced(rig, session, '1');
  assert.is(rig.read('a'), 'a one\n');
  assert.not.ok(existsSync(join(rig.work, 'later')));
  return session;
}

async function restoreUnsynced(rig: SessionRig, session: Session, tag: string): Promise<void> {
  let isAnswered = false;
  installFault((call, target) => {
    if (call === 'rename' && target.endsWith('/restore.json')) isAnswered = true;
    // From now on, every sync of a file in the work tree fails.
    if (isAnswered && call === 'open' && target.startsWith('/proc/self/fd/'))
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
  });
  try {
    await rig.request('checkpoint/restore', { session: session.id, tag, mode: 'hard' });
    await until('the sync fails', () =>
      rig.logged.some((line) => line.includes('could not sync the files of a restore')),
    );
  } finally {
    installFault(undefined);
  }
}

/** Simulates a reboot of the machine. */
function startAnew(session: Session): void {
  for (const file of notesOf(session)) {
    const at = statSync(file).ctimeMs;
    rewriteRecord(file, () => ({ boot: 'another' }));
    assert.ok(statSync(file).ctimeMs - at < 60_000);
  }
}

test('a restore is answered before its files are synced, and keeps a note until they are synced (F92)', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    assert.is(notesOf(session).length, 1, 'the files did not reach the disk');
    assert.not.ok(existsSync(session.parts.directory.intentFile), 'it is not that of a restore under way');
    rig.write('a', 'a three\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard' });
    await until('the note is removed', () => notesOf(session).length === 0);
  }));

test('while restored files are not synced, an orderly end removes the session, but an abrupt end keeps it', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    await rig.sessions.close(session.id, 'abrupt');
    assert.is(notesOf(session).length, 1);
    const again = await rig.open();
    assert.is(again.id, session.id);
    await until('the note is removed', () => notesOf(again).length === 0);
    rig.write('a', 'a three\n');
    await restoreUnsynced(rig, again, '1');
    assert.is(notesOf(again).length, 1);
    await rig.sessions.close(again.id, 'orderly');
    assert.not.ok(existsSync(again.parts.directory.root));
  }));

test('if a daemon is killed without a power cut, the next opening does not repeat a restore that was answered', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    await rig.sessions.close(session.id, 'abrupt');
    rig.write('a', 'a two\n'); // `a` had this content before the restore
    rig.write('b', '');
    rmSync(join(rig.work, 'd'));
    rig.write('later', 'made later\n');
    const again = await rig.open();
    assert.equal([rig.read('a'), rig.read('b'), rig.read('later')], ['a two\n', '', 'made later\n']);
    assert.not.ok(existsSync(join(rig.work, 'd')));
    assert.is(again.recovered, undefined);
    await until('the note is removed', () => notesOf(again).length === 0);
  }));

test('if a power cut loses files that a finished restore wrote, the next opening writes them again and keeps later edits (F92)', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    await rig.sessions.close(session.id, 'abrupt');
    startAnew(session);
    truncateSync(join(rig.work, 'a'), 0);
    rig.write('b', 'b mine\n');
    rig.write('c', 'c two\n');
    truncateSync(join(rig.work, 'd'), 2);
    rig.write('later', 'made later\n');
    const again = await rig.open();
    assert.equal(
      ['a', 'b', 'c', 'd'].map((name) => rig.read(name)),
      ['a one\n', 'b mine\n', 'c one\n', 'd one\n'],
    );
    assert.not.ok(existsSync(join(rig.work, 'later')));
    assert.equal(again.recovered?.restored, ['a', 'c', 'd']);
    assert.equal(again.recovered?.deleted, ['later']);
    await until('the note is removed', () => notesOf(again).length === 0);
    await rig.request('checkpoint/undo', { session: again.id });
    assert.is(rig.read('c'), 'c two\n', 'what stood there was saved');
  }));

test('a power cut long after a restore does not cause the next opening to repeat the restore', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    await rig.sessions.close(session.id, 'abrupt');
    startAnew(session);
    const [note = ''] = notesOf(session);
    await until('a second has passed', () => Date.now() - statSync(note).ctimeMs > 1_100);
    rig.write('a', '');
    renameSync(join(rig.work, 'd'), join(rig.work, 'e'));
    rig.write('c', 'c two\n');
    const again = await rig.open();
    assert.equal([rig.read('a'), rig.read('c'), rig.read('e')], ['', 'c two\n', 'd one\n']);
    assert.is(again.recovered, undefined);
    assert.equal(notesOf(again), []);
  }));

test('if the power is cut after two restores, the next opening repeats only the later restore', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    rig.daemon.logged.length = 0;
    // Only the safety checkpoint has this content, so an abrupt end keeps the session.
    rig.write('mine', 'in no other checkpoint\n');
    await restoreUnsynced(rig, session, '2');
    assert.is(notesOf(session).length, 2);
    await rig.sessions.close(session.id, 'abrupt');
    startAnew(session);
    truncateSync(join(rig.work, 'a'), 0);
    rig.write('b', 'b one\n');
    const again = await rig.open();
    assert.equal([rig.read('a'), rig.read('b'), rig.read('c')], ['a two\n', 'b two\n', 'c two\n']);
    assert.ok(existsSync(join(rig.work, 'later')));
    await until('the note is removed', () => notesOf(again).length === 0);
  }));

for (const what of ['ref and commit', 'ref'])
  test(`if a power cut destroyed the ${what} of a restore, the next opening repeats the restore with its conversation`, () =>
    withSessions(async (rig) => {
      const session = await answered(rig);
      const head = session.requireCheckpoints().index.head;
      await rig.sessions.close(session.id, 'abrupt');
      startAnew(session);
      const { root } = session.parts.directory;
      for (const ref of git(root, 'for-each-ref', '--format=%(refname)', '--points-at', head?.commit ?? '')
        .trim()
        .split('\n'))
        git(root, 'update-ref', '-d', ref);
      const commit = head?.commit ?? '';
      // If only the ref is lost, the opening finds the commit. A new restore then repeats the restore that the commit
      // describes.
      if (what !== 'ref') rmSync(join(root, 'objects', commit.slice(0, 2), commit.slice(2)));
      for (const name of ['a', 'b']) rig.write(name, `${name} two\n`);
      rig.write('d', 'd mine\n');
      const again = await rig.open();
      const now = again.requireCheckpoints().index.head;
      assert.is(now?.record.id === head?.record.id, what !== 'ref');
      assert.equal([rig.read('a'), rig.read('b'), rig.read('c')], ['a one\n', 'b one\n', 'c one\n']);
      // A change after the restore counts as an edit.
      assert.equal(again.recovered?.restored, what === 'ref' ? ['a', 'b'] : ['a', 'b', 'd']);
      await rig.request('checkpoint/undo', { session: again.id });
      assert.is(rig.read('d'), 'd mine\n');
    }));

test('a restore’s note that is unreadable, or names another directory, does not block an opening', () =>
  withSessions(async (rig) => {
    const session = await answered(rig);
    await rig.sessions.close(session.id, 'abrupt');
    startAnew(session);
    const [note = ''] = notesOf(session);
    rewriteRecord(note, ({ root }) => ({ root: { ...(root as object), inode: '1' } }));
    writeFileSync(note.replace('restored-', 'restored-0'), '{');
    truncateSync(join(rig.work, 'a'), 0);
    const again = await rig.open();
    assert.is(rig.read('a'), '');
    assert.equal(notesOf(again), []);
  }));

test.run();
