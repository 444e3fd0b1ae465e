// At its end, a restore makes a capture, and compares restored and present contents. A write by another program is
// reported and kept. A file that another program writes does not count as restored.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const turn = { kind: 'turn' } as const;
const hard = { mode: 'hard', onConflict: 'overwrite' } as const;

/**
 * Makes a session whose checkpoint 1 has `a` and `b`. The work tree has other contents for `a` and `b`, and also a file
 * `later`.
 */
async function prepared(rig: SessionRig): Promise<string> {
  const { id } = await rig.open();
  for (const name of ['a', 'b', 'c']) rig.write(name, `${name} one\n`);
  await rig.request('checkpoint/create', { session: id, ...turn });
  for (const name of ['a', 'b', 'c']) rig.write(name, `${name} two\n`);
  rig.write('later', 'later\n');
  await rig.request('checkpoint/create', { session: id, ...turn });
  return id;
}

/** Runs `edit` after a restore has put its files in place, and before the restore checks them. */
async function restoredBeside(
  rig: SessionRig,
  edit: () => void,
  work: () => Promise<unknown>,
): Promise<unknown> {
  let isInPlace = false;
  installFault((call, target) => {
    if (call === 'rename' && target.includes('.ckpt-tmp-') && !isInPlace && rig.read('b') === 'b one\n') {
      isInPlace = true; // at this moment, every file except `c` is in place
      edit();
    }
  });
  try {
    return await work();
  } finally {
    installFault(undefined);
    assert.ok(isInPlace, 'the edit came in between');
  }
}

test('a restored file that another program overwrites is reported as changedMeanwhile (F76)', () =>
  withSessions(async (rig) => {
    const session = await prepared(rig);
    const edit = (): void => {
      writeFileSync(join(rig.work, 'a'), 'a theirs\n');
      writeFileSync(join(rig.work, 'later'), 'later theirs\n');
    };
    const answer = (await restoredBeside(rig, edit, () =>
      rig.request('checkpoint/restore', { session, tag: '1', ...hard }),
    )) as { restored: object[]; deleted: object[]; failed: object[]; checkpoint: { id: string } };
    const { restored, deleted, failed, checkpoint } = answer;
    assert.equal(failed, [
      { path: 'a', reason: 'changedMeanwhile' },
      { path: 'later', reason: 'changedMeanwhile' },
    ]);
    assert.equal([restored, deleted], [[{ path: 'b' }, { path: 'c' }], []]);
    assert.is(rig.read('a'), 'a theirs\n', 'it is left alone');
    const { data } = await rig.request('checkpoint/readFile', { session, tag: checkpoint.id, path: 'a' });
    assert.is(data, 'a theirs\n', 'and is in the checkpoint of the result');
    const { entries } = await rig.request('ledger/history', { session, path: 'a' });
    assert.is(entries.at(-1)?.author, 'user', 'it does not count as ours');
    await rig.request('checkpoint/undo', { session, ...hard });
    assert.equal(
      ['a', 'b', 'c', 'later'].map((name) => rig.read(name)),
      ['a two\n', 'b two\n', 'c two\n', 'later\n'],
    );
  }));

test('if another program writes a file before the restore reaches it, the file stays, and the restore reports it', () =>
  withSessions(async (rig) => {
    const session = await prepared(rig);
    const answer = (await restoredBeside(
      rig,
      () => writeFileSync(join(rig.work, 'c'), 'c theirs\n'),
      () => rig.request('checkpoint/restore', { session, tag: '1', ...hard }),
    )) as { failed: object[]; conflicts: object[]; restored: object[]; counts: object };
    assert.is(rig.read('c'), 'c theirs\n');
    assert.equal(answer.failed, [{ path: 'c', reason: 'changedMeanwhile' }]);
    assert.equal(answer.conflicts, [{ path: 'c', author: 'user' }]);
    assert.equal(answer.restored, [{ path: 'a' }, { path: 'b' }]);
    assert.equal(answer.counts, { restored: 2, deleted: 1, failed: 1, conflicts: 1, skipped: 0 });
  }));

test('a restore reports a restored file that another program removes before the end of the restore', () =>
  withSessions(async (rig) => {
    const session = await prepared(rig);
    const answer = (await restoredBeside(
      rig,
      () => rmSync(join(rig.work, 'a')),
      () => rig.request('checkpoint/restore', { session, tag: '1', ...hard }),
    )) as { failed: object[] };
    assert.equal(answer.failed, [{ path: 'a', reason: 'changedMeanwhile' }]);
    assert.not.ok(existsSync(join(rig.work, 'a')));
  }));

test('a restore of links, modes and ignored files is complete even with a strict umask', () =>
  withSessions(async (rig) => {
    const mask = process.umask(0o077);
    try {
      const session = await prepared(rig);
      rig.write('.gitignore', 'a\n');
      const { failed } = await rig.request('checkpoint/restore', { session, tag: '1', ...hard });
      assert.equal(failed, []);
      const undone = await rig.request('checkpoint/undo', { session, ...hard });
      assert.equal(undone.failed, []);
    } finally {
      process.umask(mask);
    }
  }));

test('the checkpoint of a restore contains the ignored files that the restore wrote; undo removes these files', () =>
  withSessions(async (rig) => {
    const files = ['x/.gitignore', 'a/x', 'b/c/x'];
    const { id: session } = await rig.open();
    for (const path of files) rig.write(path, `${path} one\n`);
    await rig.request('checkpoint/create', { session, ...turn });
    rig.write('.gitignore', 'x\n');
    const then = await rig.request('checkpoint/create', { session, ...turn });
    for (const path of [...files, '.gitignore']) rmSync(join(rig.work, path));
    await rig.request('checkpoint/create', { session, ...turn });
    const { restored, failed, checkpoint } = await rig.request('checkpoint/restore', {
      session,
      tag: then.checkpoint.id,
      ...hard,
    });
    assert.equal([restored.length, failed], [4, []]);
    const held = await rig.request('checkpoint/files', { session, tag: checkpoint?.id ?? '' });
    assert.equal(
      held.files.map(({ path }) => path).filter((path) => files.includes(path)),
      [...files].sort(),
    );
    await rig.request('checkpoint/undo', { session });
    for (const path of files) assert.not.ok(existsSync(join(rig.work, path)), path);
  }));

test.run();
