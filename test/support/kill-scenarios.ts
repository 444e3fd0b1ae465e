// Scenarios in which files and conversation must change together. A scenario restores files and conversation, ends a
// tangent with files, or reverts a turn or the work of one author. Each run kills the daemon at another write to the
// disk. The next daemon must find a complete state.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { manifest } from './in-process-daemon.ts';
import { testProgram } from './wire-client.ts';
import { makePlaces, WireSession, withSession } from './wire-session.ts';

const program = testProgram('killed-daemon');

interface Whole {
  readonly files: Record<string, string>;
  readonly document: Record<string, unknown>;
  readonly counters: readonly number[];
}

async function wholeOf(rig: WireSession): Promise<Whole> {
  const { manager } = await rig.request('session/get', {});
  return {
    files: manifest(rig.places.workTree),
    document: await rig.document(),
    counters: [manager.currentTurn, manager.toolsInTurn],
  };
}

/** Prepares the session for the change, and returns the state after the complete change. */
type Prepare = (rig: WireSession) => Promise<Whole>;
type Move = (rig: WireSession) => Promise<unknown>;

interface Scenario {
  readonly prepare: Prepare;
  readonly move: Move;
}

const restoreOfBoth: Scenario = {
  prepare: async (rig) => {
    await rig.append('first');
    await rig.request('checkpoint/create', { kind: 'turn' });
    await rig.request('conversation/compact', { summary: 'early' });
    const target = await wholeOf(await atCheckpoint(rig, '2'));
    rig.write('a.txt', 'three\n');
    rig.write('later/c.txt', 'c\n');
    rmSync(join(rig.places.workTree, 'b.txt'));
    await rig.append('second');
    await rig.request('conversation/compact', { summary: 'late' });
    await rig.request('checkpoint/create', { kind: 'tool' });
    await rig.request('conversation/enterTangent', {});
    await rig.append('in a tangent');
    return target;
  },
  move: (rig) => rig.request('checkpoint/restore', { tag: '2', mode: 'hard', idempotencyKey: 'k' }),
};

const endOfTangent: Scenario = {
  prepare: async (rig) => {
    await rig.append('first');
    const main = await wholeOf(await atCheckpoint(rig, '1'));
    await rig.request('conversation/enterTangent', { files: true });
    await rig.append('beside');
    rig.write('a.txt', 'tangent\n');
    rig.write('beside/c.txt', 'c\n');
    await rig.request('checkpoint/create', { kind: 'turn' });
    await rig.append('beside too');
    rmSync(join(rig.places.workTree, 'b.txt'));
    return main;
  },
  move: (rig) => rig.request('conversation/exitTangent', { idempotencyKey: 'k' }),
};

const numbered = (first: string, last: string): string =>
  [first, ...Array.from({ length: 9 }, (_, n) => `line ${n}`), last, ''].join('\n');

/**
 * Writes the files of these scenarios. If `isChanged` is true, writes the state after the turn, which also made one
 * file and deleted another file. `first` and `last` are lines of `a.txt`.
 */
function writeFiles(rig: WireSession, first: string, last: string, isChanged: boolean): void {
  rig.write('a.txt', numbered(first, last));
  if (isChanged) rig.write('made/b.txt', 'b\n');
  else rig.write('gone.txt', 'gone\n');
  rmSync(join(rig.places.workTree, isChanged ? 'gone.txt' : 'made'), { recursive: true, force: true });
}

/** Reverts a turn that edited, made and deleted files. The revert keeps an edit that was made after the turn. */
const revertOfTurn: Scenario = {
  prepare: async (rig) => {
    await rig.append('first');
    writeFiles(rig, 'first', 'last', false);
    await rig.request('checkpoint/create', { kind: 'turn', tag: '1' });
    writeFiles(rig, 'turn', 'last', true);
    await rig.request('checkpoint/create', { kind: 'turn', tag: '2' });
    rig.write('later.txt', 'later\n');
    writeFiles(rig, 'first', 'later', false);
    const target = await wholeOf(rig);
    writeFiles(rig, 'turn', 'later', true);
    return target;
  },
  move: (rig) => rig.request('checkpoint/revert', { tag: '1', idempotencyKey: 'k' }),
};

/**
 * Reverts the changes of a turn that the session has reported. In the same turn, the user edited another line of the
 * file.
 */
const revertOfAuthor: Scenario = {
  prepare: async (rig) => {
    await rig.append('first');
    writeFiles(rig, 'first', 'last', false);
    await rig.request('checkpoint/create', { kind: 'turn', tag: '1' });
    writeFiles(rig, 'author', 'last', true);
    for (const path of ['a.txt', 'made/b.txt', 'gone.txt']) await rig.request('ledger/recordWrite', { path });
    await rig.request('checkpoint/create', { kind: 'tool' });
    writeFiles(rig, 'first', 'by hand', false);
    const target = await wholeOf(rig);
    writeFiles(rig, 'author', 'by hand', true);
    return target;
  },
  move: (rig) => rig.request('checkpoint/revert', { tag: '1', author: rig.session, idempotencyKey: 'k' }),
};

/** The scenarios by their name. Scenarios with the same name take turns. */
export const killScenarios = [
  ['C33 a restore of both', restoreOfBoth],
  ['C23 the end of a tangent with files', endOfTangent],
  ['a revert of a turn, and of one author', revertOfTurn, revertOfAuthor],
] as const;

async function atCheckpoint(rig: WireSession, tag: string): Promise<WireSession> {
  rig.write('a.txt', 'two\n');
  rig.write('b.txt', 'b\n');
  await rig.request('checkpoint/create', { kind: 'turn', tag });
  return rig;
}

export type Fate = 'before' | 'after' | 'unharmed';

/**
 * Kills the daemon at its n-th write to the disk after the request. Fails unless the next daemon finds a complete
 * state.
 */
export async function killAt(scenario: Scenario, n: number): Promise<Fate> {
  const places = makePlaces();
  const rig = new WireSession(places, {
    command: [process.execPath, program, '^open .*/restore\\.json', String(n)],
  });
  let before: Whole;
  let after: Whole;
  let isKilled: boolean;
  try {
    await rig.open();
    after = await scenario.prepare(rig);
    before = await wholeOf(rig);
    isKilled = await scenario.move(rig).then(
      () => false,
      () => true,
    );
    if (isKilled) assert.is((await rig.client.exit()).signal, 'SIGKILL');
  } finally {
    await rig.client.kill();
  }
  return withSession(
    async (next) => {
      assert.ok(next.opened.resumed);
      const found = await wholeOf(next);
      const isAfter = JSON.stringify(found.files) === JSON.stringify(after.files);
      assert.equal(found, isAfter ? after : before, `killed at change ${n}: neither the one nor the other`);
      const { state } = await next.request('operation/get', { idempotencyKey: 'k' });
      assert.is(state, isAfter ? 'committed' : 'unknown', `killed at change ${n}: the fate of the operation`);
      assert.not(existsSync(join(places.storage, next.session, 'checkpointd', 'restore.json')));
      if (!isKilled) assert.ok(isAfter);
      // Checks that nothing is lost: undo must give back the state before the change.
      if (isAfter) {
        await next.request('checkpoint/undo', {});
        const { counters: _ours, ...there } = await wholeOf(next);
        const { counters: _theirs, ...wanted } = before;
        assert.equal(there, wanted, `killed at change ${n}: undo`);
      }
      return isKilled ? (isAfter ? 'after' : 'before') : 'unharmed';
    },
    { places },
  );
}
