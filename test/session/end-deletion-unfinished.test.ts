// After an interrupted restore, only the session has the files that the restore replaced. The deletion of the session
// must not lose the replaced files.
import { existsSync, renameSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import type { Session } from '../../src/session/session.ts';
import { breakAt, interrupt } from '../support/interrupted-restore.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const numbers = [0, 1, 2, 3];
const toBase = { tag: '1', mode: 'hard', confirm: true } as const;

/** Makes a kept session with work that is in no checkpoint. */
async function withWork(rig: SessionRig): Promise<Session> {
  rig.settings = { retention: 'keep' };
  const session = await rig.open();
  for (const n of numbers) rig.write(`f${n}`, `${n} one\n`);
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  for (const n of numbers) rig.write(`f${n}`, `${n} unsaved\n`);
  return session;
}

async function refusal(rig: SessionRig, session: string): Promise<CheckpointdError> {
  try {
    await rig.request('session/delete', { session });
  } catch (error) {
    assert.instance(error, CheckpointdError);
    return error as CheckpointdError;
  }
  throw new Error('it was deleted');
}

async function interrupted(rig: SessionRig): Promise<Session> {
  const session = await withWork(rig);
  await interrupt(rig, session, 4, () =>
    rig.request('checkpoint/restore', { session: session.id, ...toBase }),
  );
  return session;
}

test('a kept session with an interrupted restore cannot be deleted until a client opens it', () =>
  withSessions(async (rig) => {
    const { id, parts } = await interrupted(rig);
    const { kind, effects, message } = await refusal(rig, id);
    assert.equal([kind, effects], ['RestoreFailed', 'none']);
    assert.match(message, /open/i);
    const again = await rig.open();
    await rig.request('checkpoint/undo', { session: again.id });
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} unsaved\n`);
    assert.ok((await rig.request('session/delete', { session: again.id })).deleted);
    assert.not(existsSync(parts.directory.root));
  }));

test('a session with an interrupted restore can be deleted if its work tree is gone', () =>
  withSessions(async (rig) => {
    const { id, parts } = await interrupted(rig);
    renameSync(rig.work, `${rig.work}.elsewhere`);
    assert.ok((await rig.request('session/delete', { session: id })).deleted);
    assert.not(existsSync(parts.directory.root));
  }));

test('an open session finishes an interrupted restore before it is deleted', () =>
  withSessions(async (rig) => {
    const { id, parts } = await withWork(rig);
    installFault(breakAt(4));
    await rig.request('checkpoint/restore', { session: id, ...toBase }).catch(() => undefined);
    const { kind } = await refusal(rig, id);
    installFault(undefined);
    assert.is(kind, 'RestoreFailed');
    assert.ok((await rig.request('session/delete', { session: id })).deleted);
    for (const n of numbers) assert.is(rig.read(`f${n}`), `${n} one\n`);
    assert.not(existsSync(parts.directory.root));
  }));

test.run();
