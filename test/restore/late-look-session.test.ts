// If a program opened a file before a restore, its later writes count as edits. The daemon finds such writes two
// seconds after the restore, at the end of the session, or at the next opening after a kill.
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DaemonRig } from '../support/daemon-rig.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

const back = { tag: '0', mode: 'hard', onConflict: 'overwrite', confirm: true } as const;

const displacedIn = (storage: string, session: string): string[] =>
  readdirSync(join(storage, session, 'checkpointd')).filter((name) => name.startsWith('displaced-'));

/** Opens descriptors of `a` and `later`. Then restores the state in which `a` was `one` and `later` did not exist. */
async function restored(
  rig: SessionRig,
): Promise<{ readonly session: string; readonly write: (text: string) => void }> {
  rig.write('a', 'one\n');
  const { id: session } = await rig.open();
  rig.write('a', 'two\n');
  rig.write('d/later', 'later\n');
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  const open = ['a', 'd/later'].map((name) => openSync(join(rig.work, name), 'r+'));
  await rig.request('checkpoint/restore', { session, ...back });
  assert.is(rig.read('a'), 'one\n');
  const write = (text: string): void => {
    for (const fd of open) {
      writeSync(fd, text, 0);
      closeSync(fd);
    }
  };
  return { session, write };
}

test('if a program still writes to a replaced file, the daemon puts this file back after two seconds, and the next checkpoint has the file (F76)', () =>
  withSessions(async (rig) => {
    const { session, write } = await restored(rig);
    write('late edit\n');
    assert.is(displacedIn(rig.storage, session).length, 1);
    await until('the late look has ended', () => displacedIn(rig.storage, session).length === 0);
    assert.equal([rig.read('a'), rig.read('d/later')], ['late edit\n', 'late edit\n']);
    const told = rig.logged.filter((line) => line.includes('A program wrote to'));
    assert.equal(told.length, 2);
    assert.match(told.join('\n'), 'warn A program wrote to "d/later"');
    const { checkpoint } = await rig.request('checkpoint/create', { session, kind: 'turn' });
    for (const path of ['a', 'd/later']) {
      const { data } = await rig.request('checkpoint/readFile', { session, tag: checkpoint.id, path });
      assert.is(data, 'late edit\n');
    }
  }));

test('if no program writes to a replaced file, the file is removed silently', () =>
  withSessions(async (rig) => {
    const { session } = await restored(rig);
    await until('the late look has ended', () => displacedIn(rig.storage, session).length === 0);
    assert.is(rig.read('a'), 'one\n');
    assert.equal(
      rig.logged.filter((line) => line.startsWith('warn')),
      [],
    );
  }));

for (const method of ['session/close', 'session/delete'] as const)
  test(`${method} does not wait two seconds for late writes to replaced files, but loses no late write (F76)`, () =>
    withSessions(async (rig) => {
      const { session, write } = await restored(rig);
      write('late edit\n');
      await rig.request(method, { session });
      assert.equal([rig.read('a'), rig.read('d/later')], ['late edit\n', 'late edit\n']);
      await rig.sessions.deletionsDone();
      assert.equal(readdirSync(rig.storage), []);
    }));

for (const end of ['opened again', 'deleted', 'swept'] as const)
  test(`if a program writes to a replaced file after the daemon was killed, this file is put back when the session is ${end} (F50, F76)`, async () => {
    const rig = new DaemonRig();
    try {
      const { client, session } = await rig.opened(end === 'swept' ? {} : { retention: 'keep' });
      rig.write('a.txt', 'two\n');
      await client.request('checkpoint/create', { session, kind: 'turn' });
      const fd = openSync(join(rig.work, 'a.txt'), 'r+');
      await client.request('checkpoint/restore', { session, ...back });
      await client.kill();
      writeSync(fd, 'late edit\n', 0);
      closeSync(fd);
      assert.equal([rig.read('a.txt'), displacedIn(rig.storage, session).length], ['a\n', 1]);
      const kept = (): string[] => Object.keys(rig.tree()).filter((path) => path.includes('.ckpt-'));
      if (end === 'opened again') {
        const again = await rig.opened({ retention: 'keep' });
        assert.is(rig.read('a.txt'), 'late edit\n');
        assert.equal([kept(), displacedIn(rig.storage, session)], [[], []]);
        const { hasChanges } = await again.client.request('checkpoint/hasChanges', { session });
        assert.ok(hasChanges, 'it is an edit after the restore');
        return;
      }
      const next = await rig.start({ graceHours: 0 });
      if (end === 'deleted') await next.request('session/delete', { session });
      else {
        await rig.open(next, { conversationId: 'other' });
        await until('the session is swept', () => !rig.sessions().includes(session));
      }
      // Without the store, the daemon cannot know whether the new file at the path was edited.
      assert.equal([rig.read('a.txt'), kept().map((path) => rig.read(path))], ['a\n', ['late edit\n']]);
    } finally {
      await rig.dispose();
    }
  });

test.run();
