// Tests that removing checkpoints does not detach other checkpoints, and changes neither their order nor the ledger.
// The tests check this before and after a restart.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResultOf } from '../../src/protocol/types.ts';
import { strategies } from '../../src/store/strategies.ts';
import { makePlaces, type Places, WireSession } from '../support/wire-session.ts';

type Listed = ResultOf<'checkpoint/list'>['checkpoints'];

/**
 * Returns a text for each checkpoint except safety checkpoints: its tag, or its kind if it has no tag. The text of a
 * detached checkpoint ends with `*`.
 */
const told = (checkpoints: Listed): string[] =>
  checkpoints
    .filter(({ kind }) => kind !== 'safety')
    .map(({ tag, kind, detached }) => `${tag ?? kind}${detached === true ? '*' : ''}`);

async function everything(rig: WireSession): Promise<Listed> {
  return (await rig.request('checkpoint/list', { limit: 1000, kind: 'every' })).checkpoints;
}

async function turn(rig: WireSession, content: string): Promise<void> {
  rig.write('a.txt', content);
  await rig.request('checkpoint/create', { kind: 'turn' });
}

/**
 * Makes changes in one daemon, and reads the result. Kills this daemon, and reads the result again in the next daemon.
 * The two results must be equal.
 */
async function twice(
  strategy: string,
  live: (rig: WireSession) => Promise<unknown>,
  look: (rig: WireSession) => Promise<unknown>,
  options: Partial<Parameters<WireSession['open']>[0]> = {},
): Promise<void> {
  const places: Places = makePlaces();
  for (const isFirst of [true, false]) {
    const rig = new WireSession(places);
    try {
      await rig.open({ strategy, ...options });
      if (isFirst) await live(rig);
      await look(rig);
    } finally {
      await rig.client.kill();
    }
  }
}

for (const strategy of Object.keys(strategies)) {
  test(`deleting a checkpoint in the middle does not detach earlier checkpoints (${strategy})`, () =>
    twice(
      strategy,
      async (rig) => {
        for (const n of [1, 2, 3, 4, 5]) await turn(rig, `${n}`);
        await rig.request('checkpoint/restore', { tag: '3', mode: 'hard' });
        await turn(rig, 'beside'); // takes the tag 4 from a checkpoint that this restore has detached
        await rig.request('checkpoint/delete', { tag: '2' });
        await rig.request('checkpoint/delete', { tag: '3' });
        const restored = (await everything(rig)).find(({ kind }) => kind === 'restore');
        await rig.request('checkpoint/delete', { tag: restored?.id ?? '' });
      },
      async (rig) => assert.equal(told(await everything(rig)), ['0', '1', 'turn*', '5*', '4']),
    ));

  test(`even if a detached checkpoint was deleted, undo goes back to the history before the restore (${strategy})`, () =>
    twice(
      strategy,
      async (rig) => {
        for (const n of [1, 2]) await turn(rig, `${n}`);
        await rig.request('checkpoint/restore', { tag: '1', mode: 'hard' });
        await rig.request('checkpoint/delete', { tag: '2' });
        await rig.request('checkpoint/undo', {});
      },
      async (rig) => assert.equal(told(await everything(rig)), ['0', '1', 'restore*', 'restore']),
    ));

  test(`when store/gc enforces a limit, the remaining checkpoints keep their order, and none is detached (${strategy})`, () =>
    twice(
      strategy,
      async (rig) => {
        await turn(rig, 'first');
        for (const tag of ['1.1', '1.2', '1.3', '1.1', '1.2', '1.1', '1.2']) {
          rig.write('a.txt', `${Math.random()}`);
          await rig.request('checkpoint/create', { kind: 'tool', tag });
        }
        const before = told((await rig.request('checkpoint/list', { limit: 100 })).checkpoints);
        assert.equal(before, ['0', '1', '1.1', '1.2', '1.3']);
        const { checkpointsRemoved } = await rig.request('store/gc', { prune: 'now' });
        assert.is(checkpointsRemoved, 5, 'those that lost their tag, and the oldest beyond four');
      },
      async (rig) => {
        const { checkpoints } = await rig.request('checkpoint/list', { limit: 100 });
        assert.equal(told(checkpoints), ['0', '1.1', '1.2', '1.3']);
        assert.is((await everything(rig)).length, 4);
      },
      { limits: { maxCheckpoints: 4 } },
    ));

  test(`a tool tag that was used again keeps its place in the list after a store/gc and a restart (${strategy})`, () =>
    twice(
      strategy,
      async (rig) => {
        await turn(rig, 'first');
        for (const tag of ['1.1', '1.2', '1.1', '1.3', '1.1']) {
          rig.write('a.txt', `${Math.random()}`);
          await rig.request('checkpoint/create', { kind: 'tool', tag });
        }
        await rig.request('store/gc', { prune: 'now' });
        // After a deletion the tag is free again, and a new checkpoint with this tag comes last.
        await rig.request('checkpoint/delete', { tag: '1.2' });
        rig.write('a.txt', 'again');
        await rig.request('checkpoint/create', { kind: 'tool', tag: '1.2' });
      },
      async (rig) => {
        const { checkpoints } = await rig.request('checkpoint/list', { limit: 100 });
        assert.equal(told(checkpoints), ['0', '1', '1.1', '1.3', '1.2']);
      },
    ));
}

test('if all checkpoints were deleted, the contents of the next checkpoint are recorded as usual', () =>
  twice(
    'shadow',
    async (rig) => {
      rig.write('a.txt', 'by the agent\n');
      await rig.request('ledger/recordWrite', { path: 'a.txt' });
      await turn(rig, 'two');
      for (const { id } of [...(await everything(rig))].reverse())
        await rig.request('checkpoint/delete', { tag: id });
      rig.write('new.txt', 'never seen before\n');
      await turn(rig, 'three');
      rig.write('new.txt', 'an edit');
      await rig.request('checkpoint/create', { kind: 'turn' });
      rig.write('new.txt', 'never seen before\n');
      const { conflicts } = await rig.request('checkpoint/restore', { tag: '2', mode: 'hard', dryRun: true });
      assert.equal(conflicts ?? [], [], 'a content that a checkpoint holds is known');
    },
    async (rig) => {
      const history = async (path: string): Promise<string[]> => {
        const { entries, present } = await rig.request('ledger/history', { path });
        return [...entries, ...(present === undefined ? [] : [present])].map(
          ({ author, checkpoint }) => `${author} ${checkpoint === undefined ? 'reported' : 'checkpoint'}`,
        );
      };
      assert.equal(await history('new.txt'), ['user checkpoint', 'user checkpoint', 'user reported']);
      assert.is(
        (await history('a.txt')).at(-1),
        'user checkpoint',
        'what stands there is no edit unheard of',
      );
    },
  ));

test.run();
