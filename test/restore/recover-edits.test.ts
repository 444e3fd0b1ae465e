// The work tree is edited between an interrupted restore and the next start. The recovery repeats the original request,
// and regards these edits as edits by another program.
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { CheckpointRestoreParams } from '../../src/protocol/types.ts';
import type { Session } from '../../src/session/session.ts';
import { git } from '../support/git-oracle.ts';
import { breakAt, interrupt } from '../support/interrupted-restore.ts';
import { operation, type SessionRig, withSessions } from '../support/session-rig.ts';

const numbers = [0, 1, 2, 3];
const policy = { onConflict: 'overwrite', confirm: true, dryRun: false } as const;
const toFirst = { tag: '1', mode: 'hard', ...policy } as const;

/** Makes turn 1 with four files. Turn 2 changes all four files, and makes `made/later`. */
async function twoTurns(rig: SessionRig): Promise<Session> {
  const session = await rig.open();
  for (const n of numbers) rig.write(`f${n}`, `${n} one\n`);
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  for (const n of numbers) rig.write(`f${n}`, `${n} two\n`);
  rig.write('made/later', 'made in turn 2\n');
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  return session;
}

/** Interrupts a restore of turn 1 at the n-th change of the work tree. */
const interruptRestore = (
  rig: SessionRig,
  session: Session,
  n: number,
  params: Omit<CheckpointRestoreParams, 'session'> = toFirst,
): Promise<void> =>
  interrupt(rig, session, n, () => rig.request('checkpoint/restore', { session: session.id, ...params }));

const undo = (rig: SessionRig, session: Session): Promise<unknown> =>
  rig.request('checkpoint/undo', { session: session.id, ...policy });

const texts = (paths: readonly string[] | undefined): string[] => [...(paths ?? [])].sort();

test('an edit after the kill of a restore is a conflict, and undo brings the edit back', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    await interruptRestore(rig, session, 6);
    rig.write('f0', 'an hour of work\n');
    rig.write('f3', 'another hour\n');
    const again = await rig.open();
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} one\n`);
    assert.equal(texts(again.recovered?.conflicts), ['f0', 'f3']);
    await rig.request('store/gc', { session: again.id });
    await rig.request('checkpoint/undo', { session: again.id, ...policy });
    assert.is(rig.read('f0'), 'an hour of work\n');
    assert.is(rig.read('f3'), 'another hour\n');
    assert.is(rig.read('f1'), '1 two\n');
    assert.is(rig.read('f2'), '2 two\n');
    assert.is(rig.read('made/later'), 'made in turn 2\n');
  }));

test('a file that is made after the kill of a restore stays, and is reported', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    await interruptRestore(rig, session, 6);
    rig.write('fresh', 'made after the kill\n');
    const again = await rig.open();
    assert.is(rig.read('fresh'), 'made after the kill\n');
    assert.is(rig.read('f3'), '3 one\n');
    assert.equal(texts(again.recovered?.conflicts), ['fresh']);
    assert.equal(
      again.recovered?.skipped.map(({ path }) => path),
      ['fresh'],
    );
    await rig.request('checkpoint/undo', { session: again.id, ...policy });
    assert.is(rig.read('fresh'), 'made after the kill\n');
    assert.is(rig.read('f3'), '3 two\n');
  }));

for (const steps of [2, 4, 6]) {
  test(`if a restore that skips edits is stopped at step ${steps}, its recovery also skips edits`, () =>
    withSessions(async (rig) => {
      const session = await twoTurns(rig);
      rig.write('f1', 'edited by hand before the restore\n');
      await interruptRestore(rig, session, steps, { ...toFirst, onConflict: 'skip' });
      rig.write('f2', 'edited by hand after the kill\n');
      const again = await rig.open();
      assert.is(rig.read('f1'), 'edited by hand before the restore\n');
      assert.is(rig.read('f2'), 'edited by hand after the kill\n');
      assert.is(rig.read('f0'), '0 one\n');
      assert.equal(texts(again.recovered?.skipped.map(({ path }) => path)), ['f1', 'f2']);
    }));
}

test('the recovery of a killed restore with onConflict "fail" keeps edits that were made after the kill', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    await interruptRestore(rig, session, 6, { ...toFirst, onConflict: 'fail' });
    rig.write('f3', 'edited by hand after the kill\n');
    const again = await rig.open();
    assert.is(rig.read('f3'), 'edited by hand after the kill\n');
    assert.is(rig.read('f0'), '0 one\n');
    assert.equal(texts(again.recovered?.conflicts), ['f3']);
  }));

test('a restore removed an ignore rule, and its undo was interrupted: finishing the undo keeps the file that the rule ignored', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    for (const n of numbers) rig.write(`f${n}`, `${n} one\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rig.write('.gitignore', 'secret\n');
    rig.write('secret', 'never captured\n');
    for (const n of numbers) rig.write(`f${n}`, `${n} two\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    // Removes .gitignore, so that the secret is no longer ignored.
    await rig.request('checkpoint/restore', { session: session.id, ...toFirst });
    await interrupt(rig, session, 4, () => undo(rig, session));
    await rig.open();
    assert.is(rig.read('secret'), 'never captured\n');
    assert.is(rig.read('.gitignore'), 'secret\n');
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} two\n`);
  }));

test('when recovery finishes an undo, it changes only what the reversed restore had changed', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    const mode = (path: string): number => statSync(join(rig.work, path)).mode & 0o777;
    for (const n of numbers) rig.write(`f${n}`, `${n} one\n`);
    rig.write('made', 'later ignored\n');
    rig.write('private/key', 'a key\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rmSync(join(rig.work, 'made'));
    rig.write('.gitignore', 'made\n');
    for (const n of numbers) rig.write(`f${n}`, `${n} two\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: session.id, ...toFirst });
    chmodSync(join(rig.work, 'private'), 0o700);
    // The undo stops before its first deletion.
    await interrupt(rig, session, 1, () => undo(rig, session));
    const warnings: string[] = [];
    const again = await rig.open({ ...operation(), warn: (warning) => void warnings.push(warning) });
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} two\n`);
    assert.is(mode('private'), 0o700);
    assert.not.ok(existsSync(join(rig.work, 'made')), 'the restore had made this file');
    assert.match(warnings.join(), 'checkpoint/redo reverses this change');
    await rig.request('checkpoint/redo', { session: again.id, ...policy });
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} one\n`);
  }));

test('a restore has written an ignored file, and is then killed: the undo also removes this file', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    rig.write('notes/old', 'captured before the rule\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rig.write('.gitignore', 'notes\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rmSync(join(rig.work, 'notes'), { recursive: true });
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    // The restore stops after it has linked the file to its path, before it removes the temporary name.
    await interruptRestore(rig, session, 2, { ...toFirst, tag: '2' });
    assert.ok(existsSync(join(rig.work, 'notes/old')));
    const again = await rig.open();
    assert.is(rig.read('notes/old'), 'captured before the rule\n');
    await undo(rig, again);
    assert.not.ok(existsSync(join(rig.work, 'notes/old')));
  }));

test('if a restore did not touch an ignored file, a redo does not delete the file, even after an interrupted undo', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    rig.write('.gitignore', 'later\n');
    rig.write('f', 'one\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rig.write('.gitignore', '');
    rig.write('f', 'two\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rig.write('later', 'of the user\n');
    await rig.request('checkpoint/restore', { session: session.id, ...toFirst, mode: 'soft' });
    // The undo stops after it has written `.gitignore`. The recovery of the undo therefore sees the file that the old
    // rule ignored.
    await interrupt(rig, session, 4, () => undo(rig, session));
    const again = await rig.open();
    assert.equal([rig.read('.gitignore'), rig.read('f')], ['', 'two\n']);
    await rig.request('checkpoint/redo', { session: again.id, ...policy });
    assert.equal([rig.read('f'), rig.read('later')], ['one\n', 'of the user\n']);
  }));

test('if an interrupted restore removed an ignore rule, finishing the restore keeps the file that the rule ignored', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    for (const n of numbers) rig.write(`f${n}`, `${n} one\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rig.write('.gitignore', 'secret\n');
    rig.write('secret', 'never captured\n');
    for (const n of numbers) rig.write(`f${n}`, `${n} two\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await interruptRestore(rig, session, 4);
    assert.not.ok(existsSync(join(rig.work, '.gitignore')), 'deletions come first');
    await rig.open();
    assert.is(rig.read('secret'), 'never captured\n');
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} one\n`);
  }));

test('even if the recovery of a restore is interrupted twice, no edit is lost', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    await interruptRestore(rig, session, 6);
    rig.write('f0', 'an hour of work\n');
    rig.write('fresh', 'made after the kill\n');
    for (const step of [4, 2]) {
      installFault(breakAt(step));
      try {
        await rig.open();
        assert.unreachable();
      } catch (error) {
        assert.match((error as Error).message, /stopped half-way/);
      } finally {
        installFault(undefined);
      }
    }
    const again = await rig.open();
    assert.is(rig.read('f0'), '0 one\n');
    assert.is(rig.read('fresh'), 'made after the kill\n');
    await rig.request('checkpoint/undo', { session: again.id, ...policy });
    assert.is(rig.read('f0'), 'an hour of work\n');
    assert.is(rig.read('f3'), '3 two\n');
    assert.is(rig.read('fresh'), 'made after the kill\n');
  }));

test('if an earlier version wrote the note of an interrupted undo, recovery keeps a file that was ignored before the undo', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    rig.write('f', 'one\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    rig.write('.gitignore', 'secret\n');
    rig.write('secret', 'never captured\n');
    rig.write('f', 'two\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: session.id, ...toFirst });
    await interrupt(rig, session, 2, () => undo(rig, session));
    const { intentFile } = session.parts.directory;
    const {
      root: _,
      left: __,
      takesBack: ___,
      isExact: ____,
      sum: _____,
      ...earlier
    } = JSON.parse(readFileSync(intentFile, 'utf8'));
    writeFileSync(intentFile, JSON.stringify(earlier));
    await rig.open();
    assert.is(rig.read('secret'), 'never captured\n');
    assert.is(rig.read('f'), 'two\n');
  }));

test('if another directory is at the path of the work tree, a recovery keeps this directory, and finishes when the work tree is back', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    await interruptRestore(rig, session, 6);
    const aside = `${rig.work}-aside`;
    renameSync(rig.work, aside);
    rig.write('f0', 'of another project\n');
    rig.write('own', 'of another project\n');
    const other = await rig.open();
    assert.is(other.disabledReason, 'OtherWorkTree');
    assert.is(rig.read('f0'), 'of another project\n');
    assert.is(rig.read('own'), 'of another project\n');
    assert.not.ok(existsSync(join(rig.work, 'f1')));
    assert.ok(existsSync(other.parts.directory.intentFile));
    try {
      await rig.request('checkpoint/create', { session: other.id, kind: 'turn' });
      assert.unreachable();
    } catch (error) {
      assert.match(
        (error as Error).message,
        /another directory is at the path of the work tree.*checkpoint\/init/s,
      );
    }
    await rig.sessions.close(other.id, 'abrupt');
    rmSync(rig.work, { recursive: true });
    renameSync(aside, rig.work);
    await rig.open();
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} one\n`);
  }));

test('checkpoint/init gives up the unfinished restore of another directory, and continues with the present directory', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    await interruptRestore(rig, session, 6);
    renameSync(rig.work, `${rig.work}-aside`);
    rig.write('f0', 'of another project\n');
    git(rig.work, 'init', '-q');
    const other = await rig.open();
    await rig.request('checkpoint/init', { session: other.id });
    assert.is(rig.read('f0'), 'of another project\n');
    assert.not.ok(existsSync(other.parts.directory.intentFile));
    assert.ok(existsSync(`${other.parts.directory.intentFile}.given-up`));
    await rig.request('checkpoint/create', { session: other.id, kind: 'turn' });
    assert.is(rig.read('f0'), 'of another project\n');
  }));

test.run();
