// store/gc and safety checkpoints: what a mistaken undo displaced can be had again for a month.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../../src/session/session.ts';
import { type SessionRig, withSessions } from '../../support/session-rig.ts';

const policy = { onConflict: 'overwrite', confirm: true, dryRun: false } as const;
const dayMs = 24 * 60 * 60 * 1000;

/** A restore, an hour's work, an undo by mistake, and the next turn, after which nothing can be undone. */
async function mistakenUndo(rig: SessionRig): Promise<Session> {
  const session = await rig.open();
  rig.write('f', 'one\n');
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  rig.write('f', 'two\n');
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  await rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard', ...policy });
  rig.write('f', 'an hour of work\n');
  await rig.request('checkpoint/undo', { session: session.id, ...policy });
  assert.is(rig.read('f'), 'two\n');
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  return session;
}

test('what a mistaken undo displaced is listed and restorable after the next turn and a collection', () =>
  withSessions(async (rig) => {
    const session = await mistakenUndo(rig);
    const { checkpointsRemoved } = await rig.request('store/gc', { session: session.id });
    assert.is(checkpointsRemoved, 2, 'the two restores that nothing reaches');
    const safeties = session.requireCheckpoints().index.list('safety');
    assert.is(safeties.length, 2);
    const newest = safeties.at(-1)?.record.id ?? '';
    await rig.request('checkpoint/restore', { session: session.id, tag: newest, mode: 'hard', ...policy });
    assert.is(rig.read('f'), 'an hour of work\n');
  }));

test('a collection that is to prune now, or that comes a month later, lets safety checkpoints go', () =>
  withSessions(async (rig) => {
    const session = await mistakenUndo(rig);
    const { index } = session.requireCheckpoints();
    const { now } = Date;
    try {
      Date.now = () => now() + 29 * dayMs;
      await rig.request('store/gc', { session: session.id });
      assert.is(index.list('safety').length, 2);
      Date.now = () => now() + 31 * dayMs;
      await rig.request('store/gc', { session: session.id });
      assert.is(index.list('safety').length, 0);
    } finally {
      Date.now = now;
    }
    await rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard', ...policy });
    await rig.request('checkpoint/undo', { session: session.id, ...policy });
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    assert.is(index.list('safety').length, 2);
    await rig.request('store/gc', { session: session.id, prune: 'now' });
    assert.is(index.list('safety').length, 0);
  }));

test('a limit in bytes takes safety checkpoints older than a day, and tells it', () =>
  withSessions(async (rig) => {
    rig.settings = { maxStoreBytes: 1 };
    const session = await mistakenUndo(rig);
    const { index } = session.requireCheckpoints();
    assert.is((await rig.request('store/gc', { session: session.id })).safetyRemoved, undefined);
    assert.is(index.list('safety').length, 2);
    const { now } = Date;
    try {
      Date.now = () => now() + 2 * dayMs;
      const told = await rig.request('store/gc', { session: session.id });
      assert.is(told.safetyRemoved, 2);
      assert.match(JSON.stringify(told), '2 safety checkpoint(s) older than a day');
    } finally {
      Date.now = now;
    }
    assert.is(index.list('safety').length, 0);
  }));

test.run();
