// Tests that the end of a session removes its data. These sessions run in this process. test/daemon tests the end of
// real daemons.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { ParamsOf } from '../../src/protocol/types.ts';
import { abandonSession } from '../../src/session/end.ts';
import type { EndKind } from '../../src/session/reason-to-stay.ts';
import type { Session } from '../../src/session/session.ts';
import { breakAt } from '../support/interrupted-restore.ts';
import { operation, type SessionRig, withSessions } from '../support/session-rig.ts';

const fully = { mode: 'hard', confirm: true } as const;
const restoreTo = (rig: SessionRig, session: Session, tag: string): Promise<unknown> =>
  rig.request('checkpoint/restore', { session: session.id, tag, ...fully });
const undo = (rig: SessionRig, session: Session): Promise<unknown> =>
  rig.request('checkpoint/undo', { session: session.id });

/**
 * Each row has a name, a boolean and a history. The boolean is true if a lost client leaves the session as an orphan.
 */
const histories: readonly (readonly [
  string,
  boolean,
  (rig: SessionRig, session: Session) => Promise<unknown>,
])[] = [
  ['no request', false, async () => undefined],
  ['a checkpoint', false, (rig, session) => edit(rig, session, 'one')],
  [
    'a restore that displaced an edit that no checkpoint has',
    true,
    async (rig, session) => {
      rig.write('f', 'unsaved\n');
      await restoreTo(rig, session, '0');
    },
  ],
  [
    'a restore that displaced a state that a checkpoint has',
    true,
    async (rig, session) => {
      await edit(rig, session, 'one');
      await restoreTo(rig, session, '0');
    },
  ],
  [
    'a restore and its undo',
    false,
    async (rig, session) => {
      rig.write('f', 'unsaved\n');
      await restoreTo(rig, session, '0');
      await undo(rig, session);
    },
  ],
  [
    'a restore, an edit and an undo',
    true,
    async (rig, session) => {
      rig.write('f', 'unsaved\n');
      await restoreTo(rig, session, '0');
      rig.write('f', 'made on the restored state\n');
      await undo(rig, session);
    },
  ],
  [
    'two restores, back and forth',
    false,
    async (rig, session) => {
      await edit(rig, session, 'one');
      await restoreTo(rig, session, '0');
      await restoreTo(rig, session, '1');
    },
  ],
  [
    'a restore that changed nothing',
    false,
    async (rig, session) => {
      await edit(rig, session, 'one');
      await restoreTo(rig, session, '1');
    },
  ],
];

async function edit(rig: SessionRig, session: Session, content: string): Promise<void> {
  rig.write('f', `${content}\n`);
  await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
}

for (const [name, isOrphan, happen] of histories) {
  test(`after ${name} and the loss of the client, ${isOrphan ? 'an orphaned session' : 'nothing'} stays (Q37)`, async () => {
    const fateOf = async (kind: EndKind): Promise<string> => {
      let fate = '';
      await withSessions(async (rig) => {
        rig.write('f', 'base\n');
        const session = await rig.open();
        await happen(rig, session);
        fate = (await rig.sessions.close(session.id, kind)).fate;
        assert.is(existsSync(session.parts.directory.root), fate !== 'removed');
      });
      return fate;
    };
    assert.is(await fateOf('abrupt'), isOrphan ? 'orphaned' : 'removed');
    assert.is(await fateOf('orderly'), 'removed');
  });

  test(`if a daemon must end at once after ${name}, it keeps a session with the only copy of an edit`, () =>
    withSessions(async (rig) => {
      rig.write('f', 'base\n');
      const session = await rig.open();
      await happen(rig, session);
      abandonSession(session);
      if (isOrphan) assert.ok(existsSync(session.parts.directory.root));
    }));
}

test('session/open repairs a session.json that a power cut left empty, so that the session can be removed at its end', () =>
  withSessions(async (rig) => {
    const first = await rig.open();
    const { directory } = first.parts;
    rig.write('f', 'unsaved\n');
    await restoreTo(rig, first, '0');
    assert.is((await rig.sessions.close(first.id, 'abrupt')).fate, 'orphaned');
    writeFileSync(directory.markerFile, '');
    const second = await rig.open();
    assert.is(directory.readMarker()?.session, second.id);
    assert.is(second.requireCheckpoints().index.list('every').length, 3);
    assert.is((await rig.sessions.close(second.id)).fate, 'removed');
  }));

test('a session counts as closed even if its directory cannot be removed', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    const { root } = session.parts.directory;
    installFault((call, target) => {
      if (call === 'rename' && target === root) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
    });
    try {
      await rig.sessions.close(session.id);
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), 'EBUSY');
    } finally {
      installFault(undefined);
    }
    const again = await rig.open();
    assert.is(again.id, session.id);
    assert.not.equal(again, session);
  }));

/** Returns the command lines of this process's children. Skips command lines that do not contain the directory. */
const processesOn = (directory: string): string[] =>
  spawnSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes(directory));

for (const end of ['close', 'delete'] as const)
  test(`session/${end} during checkpoint/init leaves no git process behind`, () =>
    withSessions(async (rig) => {
      rig.write('f', 'base\n');
      const session = await rig.open();
      const { id } = session;
      await rig.request('checkpoint/clean', { session: id });
      const init = rig.request('checkpoint/init', { session: id });
      assert.is(session.enabled, undefined, 'they are not enabled yet');
      const ended = end === 'close' ? rig.sessions.close(id) : rig.sessions.delete(id, operation());
      await Promise.all([init, ended]);
      assert.equal(processesOn(session.parts.directory.root), []);
      assert.not(existsSync(session.parts.directory.root));
    }));

/**
 * The reasons for which session/close may keep a session. Each row has a function that gives the session this reason.
 */
const reasons: readonly (readonly [
  string,
  Partial<ParamsOf<'session/open'>>,
  (rig: SessionRig, session: string) => Promise<unknown>,
])[] = [
  ['retention', { retention: 'keep' }, async () => undefined],
  [
    'otherClients',
    {},
    (rig) => rig.daemon.call('session/open', { workspace: rig.work, conversationId: 'c' }, { client: {} }),
  ],
  [
    'unfinishedRestore',
    {},
    async (rig, session) => {
      rig.write('f', 'two\n');
      rig.write('g', 'two\n');
      installFault(breakAt(4));
      await rig
        .request('checkpoint/restore', { session, tag: '0', mode: 'hard' })
        .then(
          () => assert.unreachable('it was not broken'),
          () => undefined,
        )
        .finally(() => installFault(undefined));
    },
  ],
  [
    'notOurs',
    {},
    async (rig, session) => {
      const { root } = rig.sessions.get(session).parts.directory;
      renameSync(root, `${root}.aside`);
      cpSync(`${root}.aside`, root, { recursive: true });
    },
  ],
  [
    'failed',
    {},
    async (rig, session) => {
      const { root } = rig.sessions.get(session).parts.directory;
      installFault((call, target) => {
        if (call === 'rename' && target === root) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
      });
    },
  ],
];

for (const [reason, open, happen] of reasons) {
  test(`if session/close keeps a session, its answer has the reason "${reason}"`, () =>
    withSessions(async (rig) => {
      rig.write('f', 'base\n');
      rig.write('g', 'base\n');
      const { session } = await rig.request('session/open', {
        workspace: rig.work,
        conversationId: 'c',
        ...open,
      });
      await happen(rig, session);
      try {
        const closed = await rig.request('session/close', { session });
        assert.equal([closed.removed, closed.reason], [false, reason]);
      } finally {
        installFault(undefined);
      }
    }));
}

test.run();
