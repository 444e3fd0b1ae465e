// Tests a store that has lost contents and directories, before the daemon has noticed this. A restore still restores
// intact files. A restore deletes a file only if the store can read the file's content.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../src/session/session.ts';
import { git } from '../support/git-oracle.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

/** Overwrites stored objects. */
function spoil({ parts }: Session, ...names: readonly string[]): void {
  const { root } = parts.directory;
  for (const name of names) {
    const id = git(root, 'rev-parse', name).trim();
    const file = join(root, 'objects', id.slice(0, 2), id.slice(2));
    assert.ok(existsSync(file), `${name} is a loose object`);
    rmSync(file);
    writeFileSync(file, 'garbage');
  }
}

/** Makes turn 1, and turn 2 with other contents. */
async function twoTurns(rig: SessionRig): Promise<Session> {
  rig.settings = { retention: 'keep' };
  rig.write('d/a', 'a zero\n');
  const session = await rig.open();
  for (const turn of ['one', 'two']) {
    rig.write('d/a', `a ${turn}\n`);
    rig.write('b', `b ${turn}\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  }
  return session;
}

const treeOf = async (rig: SessionRig, session: Session, tag: string): Promise<string> =>
  (await rig.request('checkpoint/get', { session: session.id, tag })).checkpoint.snapshot;

for (const lost of ['0', '2'])
  test(`a restore of tag 1 reports an edited file as a conflict even if tag ${lost} is lost`, () =>
    withSessions(async (rig) => {
      const before = await twoTurns(rig);
      spoil(before, await treeOf(rig, before, lost));
      await rig.request('session/close', { session: before.id });
      rig.write('d/a', 'by hand\n');
      const session = await rig.open();
      const asked = { session: session.id, tag: '1', mode: 'hard' } as const;
      const { conflicts } = await rig.request('checkpoint/restore', { ...asked, dryRun: true });
      assert.ok(conflicts.some(({ path }) => path === 'd/a'));
      await rig.request('checkpoint/restore', asked);
      assert.equal([rig.read('d/a'), rig.read('b')], ['a one\n', 'b one\n']);
      await rig.request('checkpoint/undo', { session: session.id });
      assert.equal([rig.read('d/a'), rig.read('b')], ['by hand\n', 'b two\n']);
    }));

test('if the store has lost a file’s content, a restore stores the content again before it deletes the file', () =>
  withSessions(async (rig) => {
    const session = await twoTurns(rig);
    const tree = await treeOf(rig, session, '2');
    spoil(session, `${tree}:d/a`, `${tree}:b`);
    await rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard' });
    assert.equal([rig.read('d/a'), rig.read('b')], ['a one\n', 'b one\n']);
    await rig.request('checkpoint/undo', { session: session.id });
    assert.equal([rig.read('d/a'), rig.read('b')], ['a two\n', 'b two\n']);
    assert.ok((await rig.request('store/verify', { session: session.id })).ok);
  }));

test.run();
