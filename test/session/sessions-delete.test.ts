// After a failed deletion, the session is open, closed or deleted. A session never stays in a state in which no client
// can open the session.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import type { SessionOpenResult } from '../../src/protocol/types.ts';
import { databaseFile } from '../../src/store/sqlite/sqlite-store.ts';
import { git } from '../support/git-oracle.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { sql } from '../support/stores/sqlite.ts';
import { until } from '../support/until.ts';

const entry = { user: { content: 'u' }, assistant: { content: 'a' } };

const refused = (): Error => Object.assign(new Error('EIO'), { code: 'EIO' });

async function errorOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    installFault(undefined);
  }
}

test('a session whose size cannot be read is not deleted, and stays open', () =>
  withSessions(async (rig) => {
    const { id, parts } = await rig.open();
    installFault((call, target) => {
      if (call === 'readdir' && target.startsWith(parts.directory.root)) throw refused();
    });
    assert.match(String(await errorOf(() => rig.request('session/delete', { session: id }))), /EIO/);
    rig.write('a', 'one\n');
    await rig.request('checkpoint/create', { session: id, kind: 'turn' });
    assert.ok((await rig.request('session/delete', { session: id })).deleted);
  }));

test('a session whose checkpoints cannot be removed stays open, and can be deleted later', () =>
  withSessions(async (rig) => {
    rig.settings = { retention: 'keep' };
    const session = await rig.open();
    const { store } = session.requireCheckpoints();
    const destroy = store.destroy.bind(store);
    store.destroy = () => Promise.reject(refused());
    assert.match(String(await errorOf(() => rig.request('session/delete', { session: session.id }))), /EIO/);
    assert.is(await rig.open(), session);
    rig.write('a', 'one\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    store.destroy = destroy;
    assert.ok((await rig.request('session/delete', { session: session.id })).deleted);
    assert.not(existsSync(session.parts.directory.root));
  }));

test('sqlite: session/delete fails while another program locks the database, and the session continues', () =>
  withSessions(async (rig) => {
    const asked = { workspace: rig.work, conversationId: 'c', strategy: 'sqlite' } as const;
    const { session } = await rig.request('session/open', asked);
    const holder = new Database(databaseFile(rig.storage));
    holder.exec('BEGIN IMMEDIATE');
    const error = await errorOf(() => rig.request('session/delete', { session }));
    holder.exec('ROLLBACK');
    holder.close();
    assert.ok(error instanceof CheckpointdError);
    assert.equal([error.kind, error.effects], ['StoreBusy', 'none']);
    rig.write('a', 'one\n');
    const { checkpoint } = await rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.is(checkpoint.tag, '1');
    assert.ok((await rig.request('session/delete', { session })).deleted);
    assert.is(leftOutside(rig, 'sqlite'), '0');
  }));

test('local: session/delete waits for a checkpoint that is being created, and also deletes it', () =>
  withSessions(async (rig) => {
    const asked = { workspace: rig.work, conversationId: 'c', strategy: 'local', retention: 'keep' } as const;
    const { session } = await rig.request('session/open', asked);
    const { store } = rig.sessions.get(session).requireCheckpoints();
    const order: string[] = [];
    const [publish, destroy] = [store.publish.bind(store), store.destroy.bind(store)];
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    store.publish = async (...given) => {
      order.push('publishing');
      await held;
      const published = await publish(...given);
      order.push('published');
      return published;
    };
    store.destroy = () => {
      order.push('emptied');
      return destroy();
    };
    rig.write('a', 'one\n');
    const created = rig.request('checkpoint/create', { session, kind: 'turn' });
    await until('the checkpoint is being published', () => order.includes('publishing'));
    const waiting = errorOf(() => rig.request('conversation/append', { session, entry }));
    const deleted = rig.request('session/delete', { session });
    assert.match(String(await waiting), /being closed/); // at this moment, the deletion has begun
    goOn();
    assert.is((await created).checkpoint?.tag, '1');
    assert.ok((await deleted).deleted);
    assert.equal(order, ['publishing', 'published', 'emptied']);
    assert.is(leftOutside(rig, 'local'), '');
  }));

test('if the client leaves during the deletion of a session and the deletion fails, the session is closed', () =>
  withSessions(async (rig) => {
    rig.settings = { retention: 'keep' };
    const session = await rig.open();
    session.requireCheckpoints().store.destroy = async () => {
      await rig.sessions.leave(rig.sessions, 'abrupt');
      throw refused();
    };
    assert.match(String(await errorOf(() => rig.request('session/delete', { session: session.id }))), /EIO/);
    assert.equal(rig.sessions.all, []);
    const listed = await rig.request('session/list', {});
    assert.equal(
      listed.sessions.map(({ session: id, open }) => [id, open]),
      [[session.id, false]],
    );
  }));

test('session/delete does not write the list of known files', () =>
  withSessions(async (rig) => {
    rig.settings = { retention: 'keep' };
    const { id, parts } = await rig.open();
    rig.write('a', 'one\n');
    await rig.request('checkpoint/create', { session: id, kind: 'turn' });
    const written: string[] = [];
    installFault((call, target) => {
      if (target.startsWith(parts.directory.knownFile)) written.push(call);
    });
    await rig.request('session/delete', { session: id }).finally(() => installFault(undefined));
    assert.equal(
      written.filter((call) => call === 'open' || call === 'openSync' || call.startsWith('write')),
      [],
    );
  }));

const none = { local: '', sqlite: '0' } as const;

/** Returns the data that a strategy keeps outside the sessions' directories. */
function leftOutside(rig: SessionRig, strategy: keyof typeof none): string {
  if (strategy === 'local') return git(rig.work, 'for-each-ref', 'refs/checkpointd');
  return String(sql(rig.storage, 'SELECT count(*) FROM checkpoints'));
}

for (const strategy of ['local', 'sqlite'] as const) {
  const asked = (rig: SessionRig): Promise<SessionOpenResult> =>
    rig.request('session/open', { workspace: rig.work, conversationId: 'c', strategy, retention: 'keep' });

  test(`${strategy}: if session/delete fails after it has removed the checkpoints, the answer only has a warning`, () =>
    withSessions(async (rig) => {
      const { session } = await asked(rig);
      await rig.request('conversation/appendTranscript', { session, text: 'said' });
      installFault((call, target) => {
        if (call === 'rename' && target.endsWith(session)) throw refused();
      });
      const answer = await rig.request('session/delete', { session }).finally(() => installFault(undefined));
      assert.ok(answer.deleted);
      assert.match(answer.warnings?.join() ?? '', /some of its data could not be removed yet/);
      assert.equal((await rig.request('session/list', {})).sessions, []);
      assert.is((await asked(rig)).resumed, false);
      assert.is((await rig.request('conversation/get', { session })).transcriptLength, 0);
    }));

  test(`${strategy}: session/delete removes the checkpoints of a session even if it was opened without checkpoints`, () =>
    withSessions(async (rig) => {
      const { session } = await asked(rig);
      await rig.request('session/close', { session });
      const without = { workspace: rig.work, conversationId: 'c', strategy, init: 'never' } as const;
      const opened = await rig.request('session/open', without);
      assert.equal([opened.session, opened.checkpoints.enabled], [session, false]);
      assert.ok((await rig.request('session/delete', { session })).deleted);
      assert.is(leftOutside(rig, strategy), none[strategy]);
    }));

  test(`${strategy}: the end of a session removes its checkpoints, even if the session was opened without checkpoints`, () =>
    withSessions(async (rig) => {
      const { session } = await asked(rig);
      await rig.request('session/close', { session });
      const without = {
        workspace: rig.work,
        conversationId: 'c',
        strategy,
        init: 'never',
        retention: 'session',
      } as const;
      const opened = await rig.request('session/open', without);
      assert.equal([opened.session, opened.checkpoints.enabled], [session, false]);
      assert.is.not(leftOutside(rig, strategy), none[strategy]);
      assert.equal(await rig.request('session/close', { session }), { removed: true });
      assert.is(leftOutside(rig, strategy), none[strategy]);
    }));

  test(`${strategy}: if session/delete fails before it removes the checkpoints, the session stays complete`, () =>
    withSessions(async (rig) => {
      const { session } = await asked(rig);
      await rig.request('checkpoint/create', { session, kind: 'turn' });
      rig.sessions.get(session).requireCheckpoints().store.destroy = () => Promise.reject(refused());
      assert.match(String(await errorOf(() => rig.request('session/delete', { session }))), /EIO/);
      assert.is((await asked(rig)).resumed, true);
      assert.is((await rig.request('checkpoint/list', { session })).checkpoints.length, 2);
    }));
}

for (const [what, call, place] of [
  ['if lstat fails, session/delete does not treat the repository as missing', 'lstat', '.git/HEAD'],
  ['if lstat fails after session/delete has locked the directory, the lock is released', 'lstat', 'session'],
] as const)
  test(`local: ${what}`, () =>
    withSessions(async (rig) => {
      const asked = {
        workspace: rig.work,
        conversationId: 'c',
        strategy: 'local',
        retention: 'keep',
      } as const;
      const { session } = await rig.request('session/open', asked);
      await rig.request('checkpoint/create', { session, kind: 'turn' });
      await rig.request('session/close', { session });
      const end = place === 'session' ? session : place;
      let calls = 0;
      const looks = async (failing: number): Promise<unknown> => {
        calls = 0;
        installFault((made, target) => {
          if (made === call && target.endsWith(end) && (calls += 1) === failing) throw refused();
        });
        return errorOf(() => rig.request('session/delete', { session }));
      };
      for (let n = 1; ; n += 1) {
        const error = await looks(n);
        if (calls < n) break;
        const { resumed } = await rig.request('session/open', asked);
        const { checkpoints } = await rig.request('checkpoint/list', { session });
        assert.equal(
          [resumed, checkpoints.length],
          error === undefined ? [false, 1] : [true, 2],
          `look ${n}`,
        );
        if (error === undefined) await rig.request('checkpoint/create', { session, kind: 'turn' });
        await rig.request('session/close', { session });
      }
    }));

test('local: session/delete does not treat an unreadable repository as missing', () =>
  withSessions(async (rig) => {
    const asked = { workspace: rig.work, conversationId: 'c', strategy: 'local', retention: 'keep' } as const;
    const { session } = await rig.request('session/open', asked);
    await rig.request('session/close', { session });
    const hideRepository = (): void =>
      installFault((_call, target) => {
        if (target.startsWith(join(rig.work, '.git/')))
          throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      });
    hideRepository();
    const refusal = String(await errorOf(() => rig.request('session/delete', { session })));
    assert.match(refusal, 'Make its .git readable');
    hideRepository();
    const opened = await rig.request('session/open', asked).finally(() => installFault(undefined));
    assert.equal([opened.session, opened.checkpoints.reason], [session, 'StoreCorrupt']);
    assert.match(opened.checkpoints.message ?? '', 'Make its .git readable');
    await rig.request('session/close', { session });
    assert.ok((await rig.request('session/delete', { session })).deleted);
    assert.is(leftOutside(rig, 'local'), '');
  }));

test.run();
