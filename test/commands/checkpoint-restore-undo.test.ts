// Tests that checkpoint/undo and checkpoint/redo reverse exactly the changes of a restore. Changes on other paths stay,
// and are reported.
import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointdError } from '../../src/base/errors.ts';
import type { RestoreResult } from '../../src/protocol/types.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

/**
 * Makes two turns and a hard restore of the first turn. The restore writes `f`, deletes `later`, and makes `kind` a
 * file again.
 */
async function restored(rig: SessionRig): Promise<string> {
  const { id: session } = await rig.open();
  rig.write('f', 'one\n');
  rig.write('g', 'the same in both\n');
  rig.write('kind', 'a file\n');
  rig.write('d/x', 'x\n');
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  rig.write('f', 'two\n');
  rig.write('later', 'of turn 2\n');
  rmSync(join(rig.work, 'kind'));
  rig.write('kind/of', 'a directory\n');
  chmodSync(join(rig.work, 'd'), 0o700);
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  await rig.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  return session;
}

const mode = (rig: SessionRig, path: string): number => statSync(join(rig.work, path)).mode & 0o777;
const told = ({ skipped }: RestoreResult): string[] => skipped.map(({ path, reason }) => `${path} ${reason}`);
const paths = (list: readonly { readonly path: string }[]): string[] => list.map(({ path }) => path).sort();

test('an undo reverses all changes of the restore, and keeps files that were made later', () =>
  withSessions(async (rig) => {
    const session = await restored(rig);
    rig.write('since', 'made since\n');
    rig.write('g', 'changed since\n');
    rmSync(join(rig.work, 'd/x'));
    rig.write('d/y', 'made since\n');
    const undone = await rig.request('checkpoint/undo', { session });
    assert.equal(
      ['f', 'later', 'kind/of'].map((path) => rig.read(path)),
      ['two\n', 'of turn 2\n', 'a directory\n'],
    );
    assert.equal(
      ['since', 'g', 'd/y'].map((path) => rig.read(path)),
      ['made since\n', 'changed since\n', 'made since\n'],
    );
    assert.not.ok(existsSync(join(rig.work, 'd/x')));
    assert.is(mode(rig, 'd'), 0o700);
    assert.equal(
      told(undone),
      ['d/x', 'd/y', 'g', 'since'].map((path) => `${path} notRestored`),
    );
    assert.equal(undone.conflicts, []);
    const redone = await rig.request('checkpoint/redo', { session });
    assert.equal(
      ['f', 'kind', 'since', 'g'].map((path) => rig.read(path)),
      ['one\n', 'a file\n', 'made since\n', 'changed since\n'],
    );
    assert.not.ok(existsSync(join(rig.work, 'later')));
    assert.equal(redone.conflicts, []);
  }));

test('undoing a soft restore deletes the file that the restore wrote, and lists it', () =>
  withSessions(async (rig) => {
    const { id: session } = await rig.open();
    rig.write('f', 'one\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    rmSync(join(rig.work, 'f'));
    await rig.request('checkpoint/restore', { session, tag: '1' });
    const undone = await rig.request('checkpoint/undo', { session });
    assert.equal([paths(undone.deleted), undone.counts.deleted], [['f'], 1]);
    assert.not.ok(existsSync(join(rig.work, 'f')));
  }));

test('a hard undo restores the exact state before the restore', () =>
  withSessions(async (rig) => {
    const session = await restored(rig);
    rig.write('since', 'made since\n');
    rig.write('g', 'changed since\n');
    const undone = await rig.request('checkpoint/undo', { session, mode: 'hard' });
    assert.not.ok(existsSync(join(rig.work, 'since')));
    assert.is(rig.read('g'), 'the same in both\n');
    assert.equal(undone.skipped, []);
    await rig.request('checkpoint/redo', { session, mode: 'hard' });
    assert.is(rig.read('g'), 'changed since\n');
    assert.is(rig.read('since'), 'made since\n');
    assert.is(rig.read('f'), 'one\n');
  }));

test('if a restored file was edited later, undo reports a conflict, and the client can overwrite or skip the file', () =>
  withSessions(async (rig) => {
    const session = await restored(rig);
    rig.write('f', 'an hour of work\n');
    const { conflicts, skipped } = await rig.request('checkpoint/undo', {
      session,
      onConflict: 'skip',
      dryRun: true,
    });
    assert.equal([paths(conflicts), paths(skipped)], [['f'], ['f']]);
    const undone = await rig.request('checkpoint/undo', { session });
    assert.equal(paths(undone.conflicts), ['f']);
    assert.is(rig.read('f'), 'two\n');
    const { data } = await rig.request('checkpoint/readFile', {
      session,
      tag: undone.safety ?? '',
      path: 'f',
    });
    assert.is(data, 'an hour of work\n');
    await rig.request('checkpoint/redo', { session });
    assert.is(rig.read('f'), 'an hour of work\n');
  }));

test('an undo does not change files that the restored ignore rules match', () =>
  withSessions(async (rig) => {
    rig.write('.gitignore', 'out\n');
    rig.write('f', 'one\n');
    const { id: session } = await rig.open();
    rmSync(join(rig.work, '.gitignore'));
    rig.write('out', 'visible now\n');
    rig.write('f', 'two\n');
    await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    rig.write('out', 'changed since\n');
    await rig.request('checkpoint/undo', { session });
    assert.is(rig.read('f'), 'two\n');
    assert.is(rig.read('out'), 'changed since\n');
  }));

test('if there is nothing to undo or redo, the error explains both methods and names checkpoint/list', () =>
  withSessions(async (rig) => {
    const { id: session } = await rig.open();
    for (const method of ['checkpoint/undo', 'checkpoint/redo'] as const) {
      try {
        await rig.request(method, { session });
        assert.unreachable();
      } catch (error) {
        assert.is((error as CheckpointdError).kind, 'NothingToUndo');
        assert.match((error as CheckpointdError).message, /restore .*checkpoint\/list/s);
      }
    }
  }));

test.run();
