// Tests that store/gc keeps unlisted checkpoints for a month. From an unlisted checkpoint, a user can still restore
// files that a mistaken undo displaced, or a turn that lost its tag.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../src/session/session.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const policy = { onConflict: 'overwrite', confirm: true, dryRun: false } as const;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Makes a restore, an hour's work, a mistaken undo, and the next turn. After this turn there is nothing left to undo.
 */
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

test('even after a turn and a store/gc, a safety checkpoint still has the files that a mistaken undo displaced', () =>
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

test('store/gc removes safety checkpoints that are a month old; with prune: "now", store/gc removes all safety checkpoints', () =>
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

test('to meet a size limit, store/gc removes safety checkpoints older than a day, and reports this', () =>
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
      assert.match(JSON.stringify(told), 'Safety checkpoints older than a day were removed (2)');
    } finally {
      Date.now = now;
    }
    assert.is(index.list('safety').length, 0);
  }));

/**
 * Makes two turns, then restores the state before both turns. Then makes a third turn, which takes the tag of the first
 * turn. No other checkpoint contains the content of the first turn.
 */
async function takenTag(rig: SessionRig): Promise<{ session: Session; first: string; tool: string }> {
  const session = await rig.open();
  const create = async (kind: 'turn' | 'tool', text: string): Promise<string> => {
    rig.write('f', text);
    const { checkpoint } = await rig.request('checkpoint/create', { session: session.id, kind });
    return checkpoint.id;
  };
  const first = await create('turn', 'first\n');
  const tool = await create('tool', 'tool\n');
  await create('turn', 'second\n');
  await rig.request('checkpoint/restore', { session: session.id, tag: '0', mode: 'hard', ...policy });
  await create('turn', 'another first\n');
  return { session, first, tool };
}

test('if a new turn takes the tag of an old turn, store/gc keeps the old turn and its tools', () =>
  withSessions(async (rig) => {
    const { session, first, tool } = await takenTag(rig);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('store/gc', { session: session.id });
    const back = async (tag: string): Promise<string> => {
      await rig.request('checkpoint/restore', { session: session.id, tag, mode: 'hard', ...policy });
      return rig.read('f');
    };
    assert.is(await back(first), 'first\n');
    assert.is(await back(tool), 'tool\n');
  }));

test('a checkpoint that lost its tag to another checkpoint is removed a month later', () =>
  withSessions(async (rig) => {
    const { now } = Date;
    try {
      const session = await rig.open();
      const create = (tag: string): Promise<{ readonly checkpoint: { readonly id: string } }> =>
        rig.request('checkpoint/create', { session: session.id, kind: 'turn', tag });
      const { checkpoint } = await create('1');
      Date.now = () => now() + 40 * dayMs;
      await create('1');
      await rig.request('store/gc', { session: session.id });
      const { index } = session.requireCheckpoints();
      assert.ok(index.byId(checkpoint.id));
      Date.now = () => now() + 71 * dayMs;
      await rig.request('store/gc', { session: session.id });
      assert.is(index.byId(checkpoint.id), undefined);
    } finally {
      Date.now = now;
    }
  }));

test('to meet a size limit, store/gc removes unlisted checkpoints, but only when they are older than a day', () =>
  withSessions(async (rig) => {
    rig.settings = { maxStoreBytes: 1 };
    const { session, first } = await takenTag(rig);
    const { index } = session.requireCheckpoints();
    await rig.request('store/gc', { session: session.id });
    assert.ok(index.byId(first));
    const { now } = Date;
    try {
      Date.now = () => now() + 2 * dayMs;
      await rig.request('store/gc', { session: session.id });
      assert.is(index.byId(first), undefined);
    } finally {
      Date.now = now;
    }
  }));

test('store/gc with prune: "now" removes checkpoints that have lost their tag', () =>
  withSessions(async (rig) => {
    const { session, first, tool } = await takenTag(rig);
    const { index } = session.requireCheckpoints();
    await rig.request('store/gc', { session: session.id, prune: 'now' });
    assert.equal(
      [first, tool].map((id) => index.byId(id)),
      [undefined, undefined],
    );
  }));

test.run();
