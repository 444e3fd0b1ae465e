// After an interrupted restore, the store has lost contents of the target and of the safety checkpoint. The restore can
// be neither finished nor undone completely. Intact checkpoints must stay available.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../src/session/session.ts';
import { git } from '../support/git-oracle.ts';
import { interrupt } from '../support/interrupted-restore.ts';
import { operation, type SessionRig, withSessions } from '../support/session-rig.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Makes two turns, and then a restore of turn 1 that fails after a few files. */
async function broken(rig: SessionRig): Promise<Session> {
  const session = await rig.open();
  for (const turn of ['one', 'two']) {
    for (const name of names) rig.write(name, `${name} ${turn}\n`);
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
  }
  await interrupt(rig, session, 5, () =>
    rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard' }),
  );
  return session;
}

/** Removes or overwrites stored objects. */
function spoil({ parts }: Session, texts: readonly string[], how: 'missing' | 'wrong'): void {
  for (const text of texts) {
    const { root } = parts.directory;
    const id = git(root, 'rev-parse', text).trim();
    const file = join(root, 'objects', id.slice(0, 2), id.slice(2));
    rmSync(file);
    if (how === 'wrong') writeFileSync(file, 'garbage');
  }
}

/** Returns the id of a content as a git blob. */
function blobOf({ parts }: Session, content: string): string {
  const file = join(parts.directory.own, 'content');
  writeFileSync(file, content);
  const id = git(parts.directory.root, 'hash-object', file).trim();
  rmSync(file);
  return id;
}

const turnsOn = (rig: SessionRig): string[] => names.map((name) => rig.read(name).trim());

for (const how of ['missing', 'wrong'] as const) {
  test(`if contents in both target and safety checkpoint are ${how}, a recovery reports their paths and restores all other files`, () =>
    withSessions(async (rig) => {
      const session = await broken(rig);
      // The store loses contents of the target that the restore has not written yet. The store also loses old
      // contents of files that the restore has already replaced. The safety checkpoint needs these contents.
      const written = names.filter((name) => rig.read(name) === `${name} one\n`);
      const [first = 'a'] = written;
      const [waiting = 'f'] = names.filter((name) => !written.includes(name));
      assert.ok(written.length > 0 && written.length < names.length);
      spoil(session, [blobOf(session, `${waiting} one\n`), blobOf(session, `${first} two\n`)], how);
      const warnings: string[] = [];
      const again = await rig.open({ ...operation(), warn: (message) => void warnings.push(message) });
      const mostly = names.map((name) => `${name} ${name === waiting ? 'two' : 'one'}`);
      assert.equal(turnsOn(rig), mostly, 'whatever can be finished is');
      assert.equal(again.recovered?.failed, [{ path: waiting, reason: 'contentLost' }]);
      assert.ok(
        warnings.some((message) => message.includes(`"${waiting}"`)),
        warnings.join('\n'),
      );
      assert.not.ok(again.hasUnfinishedRestore);
      assert.not.ok(existsSync(again.parts.directory.intentFile));
      assert.equal(
        readdirSync(rig.work).filter((name) => name.startsWith('.ckpt')),
        [],
      );
      const { checkpoint } = await rig.request('checkpoint/create', { session: again.id, kind: 'turn' });
      await rig.request('checkpoint/restore', { session: again.id, tag: '0', mode: 'hard', confirm: true });
      assert.not.ok(existsSync(join(rig.work, 'b')));
      await rig.request('checkpoint/restore', { session: again.id, tag: checkpoint.tag ?? '', mode: 'hard' });
      assert.equal(turnsOn(rig), mostly);
    }));
}

test('if target and safety checkpoint are lost, the restore is given up, and intact checkpoints can be used', () =>
  withSessions(async (rig) => {
    const session = await broken(rig);
    const found = turnsOn(rig);
    const { index } = session.requireCheckpoints();
    const safety = index.list('safety').at(-1)?.record.snapshot ?? '';
    const target = index.resolve('1').record.snapshot;
    spoil(session, [safety, target], 'missing');
    const warnings: string[] = [];
    const again = await rig.open({ ...operation(), warn: (message) => void warnings.push(message) });
    assert.equal(turnsOn(rig), found, 'every file is as the restore left it');
    assert.not.ok(again.hasUnfinishedRestore);
    assert.ok(existsSync(`${again.parts.directory.intentFile}.given-up`));
    assert.ok(
      warnings.some((message) => message.includes('neither finished nor undone')),
      warnings.join('\n'),
    );
    await rig.request('checkpoint/create', { session: again.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: again.id, tag: '0', mode: 'hard', confirm: true });
    assert.not.ok(existsSync(join(rig.work, 'b')));
  }));

test.run();
