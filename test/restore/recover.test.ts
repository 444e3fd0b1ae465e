// If a restore fails half-way in a running daemon, the next operation recovers the restore.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { recover } from '../../src/restore/recover.ts';
import { restoreSite } from '../../src/session/restores.ts';
import type { Session } from '../../src/session/session.ts';
import { operation, type SessionRig, withSessions } from '../support/session-rig.ts';

const files = [0, 1, 2, 3];
const toBase = {
  tag: '1',
  mode: 'hard',
  confirm: true,
} as const;

/** Makes a session whose restore of checkpoint 1 broke at its third rename in the work tree. */
async function broken(rig: SessionRig): Promise<Session> {
  const session = await rig.open();
  for (const n of files) rig.write(`f${n}`, `${n} one\n`);
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  for (const n of files) rig.write(`f${n}`, `${n} two\n`);
  let renames = 0;
  installFault((call, target) => {
    if (call === 'rename' && target.startsWith('/proc/self/fd/')) renames += 1;
    // From the third rename on, makes every call fail except `close`. The lock of the work tree is an open descriptor,
    // which must be closed.
    if (renames === 3 && call !== 'close') throw Object.assign(new Error('EIO'), { code: 'EIO' });
  });
  try {
    await rig.request('checkpoint/restore', { session: session.id, ...toBase });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, CheckpointdError);
    assert.equal(
      [(error as CheckpointdError).kind, (error as CheckpointdError).effects],
      ['RestoreFailed', 'unknown'],
    );
  } finally {
    installFault(undefined);
  }
  assert.ok(session.hasUnfinishedRestore);
  assert.equal(new Set(files.map((n) => rig.read(`f${n}`).slice(2))).size, 2, 'half old, half new');
  return session;
}

const leftovers = (rig: SessionRig): string[] =>
  readdirSync(rig.work).filter((name) => name.startsWith('.ckpt'));

test('the next change first finishes an interrupted restore, and one undo then reverses the restore (R20)', () =>
  withSessions(async (rig) => {
    const session = await broken(rig);
    const { checkpoint } = await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    assert.is(checkpoint.tag, '2');
    for (const n of files) assert.is(rig.read(`f${n}`), `${n} one\n`);
    assert.not.ok(session.hasUnfinishedRestore);
    assert.not.ok(existsSync(session.parts.directory.intentFile));
    assert.equal(leftovers(rig), []);
    assert.ok(rig.logged.some((line) => line.startsWith('warn An interrupted restore was finished')));
    await rig.request('checkpoint/undo', { session: session.id });
    for (const n of files)
      assert.is(rig.read(`f${n}`), `${n} two\n`, 'one undo brings back what it displaced');
  }));

for (const lasting of [false, true])
  test(`if the system ${lasting ? 'never releases a temporary file, the file is reported' : 'releases a temporary file late, the file is removed'}`, () =>
    withSessions(async (rig) => {
      const session = await broken(rig);
      const { id } = JSON.parse(readFileSync(session.parts.directory.intentFile, 'utf8')) as { id: string };
      const left = `.ckpt-tmp-${id}-9999`;
      rig.write(left, 'half\n');
      let times = 0;
      installFault((call, target) => {
        if (call !== 'unlink' || !target.endsWith(left)) return;
        times += 1;
        if (lasting || times === 1) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      });
      assert.is(
        await recover(restoreSite(session), operation()).finally(() => installFault(undefined)),
        'finished',
      );
      assert.is(times, 2);
      assert.equal(leftovers(rig), lasting ? [left] : []);
      assert.is(rig.logged.filter((line) => line.includes('by hand')).length, lasting ? 1 : 0);
    }));

for (const give of ['cancel', 'fail', 'fail without its own note'] as const) {
  test(`if a recovery ${give === 'cancel' ? 'is cancelled' : give.replace('fail', 'fails')} before any change, the note stays for the next recovery`, () =>
    withSessions(async (rig) => {
      const session = await broken(rig);
      const cancel = new AbortController();
      let isPublished = false;
      installFault((call, target) => {
        if (give === 'fail without its own note') {
          if (call === 'open' && target.includes('restore.json.'))
            throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
          return;
        }
        // This call comes after the safety checkpoint, when the restore writes its first temporary file.
        if (call === 'rename' && target.includes('restore.json')) isPublished = true;
        if (!isPublished || call !== 'open' || !target.includes('.ckpt-tmp-')) return;
        if (give === 'cancel') cancel.abort();
        else throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      });
      try {
        await recover(restoreSite(session), operation(cancel.signal));
        assert.unreachable();
      } catch (error) {
        assert.is((error as Error).name, give === 'cancel' ? 'AbortError' : 'CheckpointdError');
      } finally {
        installFault(undefined);
      }
      assert.ok(session.hasUnfinishedRestore);
      assert.ok(existsSync(session.parts.directory.intentFile));
      assert.is(await recover(restoreSite(session), operation()), 'finished');
      // If the restore failed, the daemon has begun to undo it. The recovery completes the undo.
      const whole = give === 'fail' ? 'two' : 'one';
      for (const n of files) assert.is(rig.read(`f${n}`), `${n} ${whole}\n`);
      assert.equal(leftovers(rig), []);
    }));
}

test('if a content is lost, the daemon undoes an unfinished restore instead of finishing it (R20)', () =>
  withSessions(async (rig) => {
    const session = await broken(rig);
    const lost = files.filter((n) => rig.read(`f${n}`) === `${n} two\n`);
    assert.ok(lost.length > 0);
    const { store, index } = session.requireCheckpoints();
    const entries = await store.entries(index.resolve('1').record.snapshot);
    await rig.sessions.close(session.id, 'abrupt');
    assert.ok(existsSync(session.parts.directory.intentFile), 'an orphan');
    for (const { path, blob } of entries) {
      if (!lost.some((n) => path === `f${n}`)) continue;
      rmSync(join(session.parts.directory.root, 'objects', blob.slice(0, 2), blob.slice(2)));
    }
    const again = await rig.open();
    for (const n of files) assert.is(rig.read(`f${n}`), `${n} two\n`);
    assert.not.ok(existsSync(again.parts.directory.intentFile));
    assert.is(again.requireCheckpoints().index.head?.record.description, 'Undid an interrupted restore');
    assert.equal(leftovers(rig), []);
  }));

test('if the note of a restore is unreadable, the opening fails, and the note stays for a person to inspect', () =>
  withSessions(async (rig) => {
    const session = await broken(rig);
    const { intentFile } = session.parts.directory;
    await rig.sessions.close(session.id, 'abrupt');
    writeFileSync(intentFile, '{"version":99}');
    try {
      await rig.open();
      assert.unreachable();
    } catch (error) {
      assert.is((error as CheckpointdError).kind, 'StoreCorrupt');
      assert.match((error as Error).message, intentFile);
    }
    assert.ok(existsSync(intentFile));
  }));

test.run();
