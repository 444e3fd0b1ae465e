// Tests a revert whose range is damaged in the store, a revert whose files change during the merge, and an interrupted
// revert.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { Session } from '../../src/session/session.ts';
import { failure } from '../support/failures.ts';
import { git } from '../support/git-oracle.ts';
import { manifest, repository } from '../support/in-process-daemon.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const text = (...changes: readonly (readonly [number, string])[]): string => {
  const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`);
  for (const [at, what] of changes) lines[at] = what;
  return `${lines.join('\n')}\n`;
};

/** Makes two turns. Turn 1 changes two files, and a later edit changes one of the two files again. */
async function twoTurns(rig: SessionRig): Promise<Session> {
  rig.settings = { ...rig.settings, retention: 'keep' };
  rig.write('d/a', text());
  rig.write('b', text());
  const session = await rig.open();
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  for (const path of ['d/a', 'b']) rig.write(path, text([1, `turn ${path}`]));
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  rig.write('d/a', text([1, 'turn d/a'], [9, 'later']));
  return session;
}

/** Overwrites the object of a checkpoint's tree, or of a file in the tree. */
async function spoil(rig: SessionRig, { id, parts }: Session, tag: string, path = ''): Promise<void> {
  const { checkpoint } = await rig.request('checkpoint/get', { session: id, tag });
  const { root } = parts.directory;
  const object = git(root, 'rev-parse', `${checkpoint.snapshot}${path}`).trim();
  const file = join(root, 'objects', object.slice(0, 2), object.slice(2));
  assert.ok(existsSync(file), `${tag}${path} is a loose object`);
  rmSync(file);
  writeFileSync(file, 'garbage');
}

for (const [kind, tag, path] of [
  ['StoreCorrupt', '1', ''],
  ['StoreCorrupt', '2', ''],
  ['StoreCorrupt', '1', ':d'],
  ['DataCorrupt', '1', ':d/a'],
  ['DataCorrupt', '2', ':d/a'],
  // The merge does not need this content, but the restore would write it.
  ['DataCorrupt', '1', ':b'],
] as const)
  test(`if the store lost the object ${tag}${path}, a revert of the range changes nothing, and the error names the damage`, () =>
    withSessions(async (rig) => {
      const before = await twoTurns(rig);
      await spoil(rig, before, tag, path);
      await rig.request('session/close', { session: before.id });
      const { id: session } = await rig.open();
      const files = manifest(rig.work);
      const error = await failure(rig.request('checkpoint/revert', { session, from: '1', to: '2' }));
      assert.is(error.kind, kind);
      assert.match(error.message, /store\/verify/);
      assert.equal(manifest(rig.work), files);
      // The revert left no unfinished restore. Therefore the next change has nothing to recover.
      assert.not(existsSync(before.parts.directory.intentFile));
      await rig.request('checkpoint/create', { session, kind: 'turn' });
    }));

/** Calls `edit` each time the revert reads a content for its merge. */
function whileMerging(session: Session, edit: (time: number) => void): void {
  const { store } = session.requireCheckpoints();
  const read = store.read.bind(store);
  let time = 0;
  Object.assign(store, {
    read: (...args: Parameters<typeof read>) => {
      edit((time += 1));
      return read(...args);
    },
  });
}

test('a revert also merges an edit that is made during the merge', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    whileMerging(session, (time) => {
      if (time === 1) rig.write('d/a', text([1, 'turn d/a'], [9, 'later'], [11, 'later still']));
    });
    await rig.request('checkpoint/revert', { session: session.id, tag: '1' });
    assert.is(rig.read('d/a'), text([9, 'later'], [11, 'later still']));
    assert.is(rig.read('b'), text());
  }));

test('a revert gives up and changes nothing if the files keep changing', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    let last = '';
    whileMerging(session, (time) => {
      last = text([1, 'turn d/a'], [9, `later ${time}`]);
      rig.write('d/a', last);
    });
    const error = await failure(rig.request('checkpoint/revert', { session: session.id, tag: '1' }));
    assert.is(error.kind, 'WorkTreeBusy');
    assert.equal([rig.read('d/a'), rig.read('b')], [last, text([1, 'turn b'])]);
  }));

const kindsIn = async (session: Session): Promise<string[]> =>
  (await session.requireCheckpoints().store.checkpoints()).map(({ record }) => record.kind);

/** Runs a revert. After the first change of the work tree, each call fails. */
async function breakRevert(rig: SessionRig, session: Session): Promise<void> {
  installFault((call) => {
    const isBegun = rig.read('b') === text() || rig.read('d/a') === text([9, 'later']);
    if (isBegun && call !== 'close') throw Object.assign(new Error('EIO'), { code: 'EIO' });
  });
  const params = { session: session.id, tag: '1' };
  const error = await failure(rig.request('checkpoint/revert', params)).finally(() =>
    installFault(undefined),
  );
  assert.equal([error.kind, error.effects], ['RestoreFailed', 'unknown']);
  assert.ok(existsSync(session.parts.directory.intentFile));
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  const left = ['turn', 'turn', 'turn', 'safety', 'restore'];

  test(`${strategy}: a revert adds only its own checkpoint and one safety checkpoint, even if it changes nothing`, () =>
    withSessions(async (rig) => {
      rig.settings = { strategy };
      const session = await twoTurns(rig);
      const cancel = new AbortController();
      installFault((call, target) => {
        if (call === 'open' && target.includes('.ckpt-tmp-')) cancel.abort();
      });
      const params = { session: session.id, tag: '1' };
      const stopped = await rig.request('checkpoint/revert', params, cancel.signal).then(
        () => undefined,
        (error: Error) => error.name,
      );
      installFault(undefined);
      assert.is(stopped, 'AbortError');
      assert.equal(await kindsIn(session), left.slice(0, 4));
      await rig.request('checkpoint/revert', { session: session.id, tag: '1' });
      assert.equal(await kindsIn(session), [...left.slice(0, 4), ...left.slice(3)]);
      const { checkpoints } = await rig.request('checkpoint/list', { session: session.id, kind: 'every' });
      assert.equal(
        checkpoints.map(({ kind }) => kind),
        await kindsIn(session),
      );
    }));

  test(`${strategy}: an interrupted revert can be finished even if another program has cleaned the store after the interruption`, () =>
    withSessions(async (rig) => {
      rig.settings = { strategy };
      const session = await twoTurns(rig);
      await breakRevert(rig, session);
      await rig.sessions.close(session.id, 'abrupt');
      if (strategy === 'local') git(rig.work, 'gc', '-q', '--prune=now');
      const other = await rig.daemon.open(repository({ 'other.txt': 'other' }), { strategy });
      await rig.daemon.call('store/gc', { session: other.session, prune: 'now' });
      const again = await rig.open();
      assert.is(again.id, session.id);
      assert.equal([rig.read('d/a'), rig.read('b')], [text([9, 'later']), text()]);
      assert.equal(await kindsIn(again), left);
      assert.not(existsSync(session.parts.directory.intentFile));
      await rig.request('checkpoint/undo', { session: session.id });
      assert.is(rig.read('b'), text([1, 'turn b']));
      assert.equal((await rig.request('store/verify', { session: session.id })).problems, []);
    }));

  test(`${strategy}: after a failed revert, the next change in the same daemon finishes the revert`, () =>
    withSessions(async (rig) => {
      rig.settings = { strategy };
      const session = await twoTurns(rig);
      await breakRevert(rig, session);
      await rig.request('store/gc', { session: session.id, prune: 'now' });
      assert.equal([rig.read('d/a'), rig.read('b')], [text([9, 'later']), text()]);
      assert.equal(await kindsIn(session), left);
      const restore = rig.daemon.told.findLast(({ method }) => method === 'checkpoint/didRestore');
      const { checkpoint } = await rig.request('checkpoint/get', { session: session.id, tag: '1' });
      assert.is((restore?.params as { target?: string } | undefined)?.target, checkpoint.id);
    }));
}

test('sqlite: if a revert ends before it writes its note, the next opening removes the merged tree', () =>
  withSessions(async (rig) => {
    rig.settings = { strategy: 'sqlite' };
    const session = await twoTurns(rig);
    const { intentFile } = session.parts.directory;
    let isOver = false;
    installFault((call, target) => {
      isOver ||= target.startsWith(intentFile);
      if (isOver && call !== 'close' && call !== 'exists')
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    const params = { session: session.id, tag: '1' };
    await failure(rig.request('checkpoint/revert', params)).finally(() => installFault(undefined));
    const before = ['turn', 'turn', 'turn', 'safety'];
    assert.equal(await kindsIn(session), [...before, 'safety']);
    await rig.sessions.close(session.id, 'abrupt');
    assert.equal(await kindsIn(await rig.open()), before);
    assert.equal(
      [rig.read('d/a'), rig.read('b')],
      [text([1, 'turn d/a'], [9, 'later']), text([1, 'turn b'])],
    );
  }));

test.run();
