// Tests that this version reads the data of an earlier version, and that it refuses the data of a later version without
// changing the data. Uses real daemons and every strategy. The archive of the earlier version never changes; see
// fixtures/make-format-1.ts.
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { type DaemonRig, fsck, withRig } from '../support/daemon-rig.ts';
import {
  conversationOfFormat1,
  layOutFormat1,
  sessionOfFormat1,
  strategiesOfFormat1,
} from '../support/earlier-format.ts';
import { git } from '../support/in-process-daemon.ts';
import { sql, sqliteAfterwards } from '../support/stores/sqlite.ts';
import { contentsOfFormat1, lookAround } from '../support/trees/earlier-looks.ts';
import { failureOf } from '../support/wire-client.ts';

function assertHolds(rig: DaemonRig, tag: string): void {
  for (const [path, content] of Object.entries(contentsOfFormat1[tag] ?? {}))
    assert.is(rig.read(path), content, `${path} at ${tag}`);
}

/** Returns the hash of each file and link below these directories, by path. */
function everything(roots: readonly string[], but = /^$/): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    if (stat.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(path)}`;
    // SQLite's -wal and -shm files depend on its open connections. Only a -wal file with content is compared.
    else if (path.endsWith('-shm') || (path.endsWith('-wal') && stat.size === 0)) return;
    else if (!but.test(path)) found[path] = createHash('sha256').update(readFileSync(path)).digest('hex');
  };
  for (const root of roots) visit(root);
  return found;
}

/** Checks that `now` has every field of `before` unchanged. A later version may add fields. */
function assertWithin(now: unknown, before: unknown, at: string): void {
  if (typeof before !== 'object' || before === null) return assert.is(now, before, at);
  if (Array.isArray(before)) assert.is(Array.isArray(now) && now.length, before.length, at);
  assert.ok(typeof now === 'object' && now !== null, at);
  const fields = new Map(Object.entries(now));
  for (const [name, value] of Object.entries(before)) assertWithin(fields.get(name), value, `${at}.${name}`);
}

test('the archive of old sessions contains a session of every strategy', () => {
  assert.equal(
    Object.keys(strategies).filter((name) => !strategiesOfFormat1.some((known) => known === name)),
    [],
  );
});

for (const strategy of strategiesOfFormat1) {
  test(`${strategy}: this version resumes a session of the first version with all its data (O9, R26)`, async () => {
    await withRig(async (rig) => {
      const seen = layOutFormat1(rig.top, strategy);
      const params = { strategy, conversationId: conversationOfFormat1 } as const;
      const client = await rig.start();
      const { sessions } = await client.request('session/list', {});
      assert.is(sessions[0]?.session, sessionOfFormat1(rig.work, strategy));
      const { session, resumed, checkpoints } = await rig.open(client, params);
      assert.ok(resumed && checkpoints.enabled);
      assert.is(session, sessions[0]?.session);
      assertWithin(await lookAround(client, session), seen, strategy);

      // An undo or redo still finds the restores of the earlier version.
      assertHolds(rig, '1');
      await client.request('checkpoint/redo', { session });
      assertHolds(rig, '2');
      await client.request('checkpoint/undo', { session });
      await client.request('checkpoint/undo', { session });
      assertHolds(rig, '3');
      for (const tag of Object.keys(contentsOfFormat1)) {
        await client.request('checkpoint/restore', { session, tag, mode: 'hard' });
        assertHolds(rig, tag);
      }
      // The daemon still knows the old key. The key belongs to a request of another session, so this request with the
      // same key is refused.
      const again = client.request('checkpoint/create', { session, kind: 'turn', idempotencyKey: 'first' });
      assert.is((await failureOf(again)).kind, 'IdempotencyConflict');
      rig.write('a.txt', 'made by this version\n');
      const made = await client.request('checkpoint/create', { session, kind: 'turn' });
      await client.request('checkpoint/restore', { session, tag: 'named by the client', mode: 'hard' });
      assertHolds(rig, '1');
      await client.request('checkpoint/restore', { session, tag: made.checkpoint.id, mode: 'hard' });
      assert.is(rig.read('a.txt'), 'made by this version\n');
      const { ok, problems } = await client.request('store/verify', { session });
      assert.ok(ok, JSON.stringify(problems));
      assert.is((await client.close()).code, 0);

      const later = await rig.opened(params);
      assert.ok(later.resumed && later.session === session);
      const { checkpoint } = await later.client.request('checkpoint/get', {
        session,
        tag: made.checkpoint.id,
      });
      assert.is(checkpoint.id, made.checkpoint.id);
      await later.client.close();
      if (strategy === 'sqlite') sqliteAfterwards(rig.storage);
      else assert.is(fsck(strategy === 'shadow' ? rig.shadow(session) : join(rig.work, '.git')), '');
    });
  });
}

/** Data of a later version, at the places where this version expects its own data. */
interface Later {
  readonly what: string;
  readonly leave: (rig: DaemonRig, session: string) => void;
  /**
   * Matches files that name the session's owner. Even a refused opening may change these files, but it changes no byte
   * of any other file.
   */
  readonly touched?: RegExp;
}

const laterMarker: Later = {
  what: 'a session of format 2',
  leave: (rig, session) => {
    const file = join(rig.shadow(session), 'checkpointd', 'session.json');
    const marker = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...marker, format: 2, unheardOf: ['of', 'today'] }));
    writeFileSync(join(rig.shadow(session), 'checkpointd', 'session.json.0123456789ab.tmp'), 'of format 2');
  },
};

const laterLog: Later = {
  what: 'a session log of form 2',
  leave: (rig, session) => {
    const file = join(rig.shadow(session), 'checkpointd', 'session.log');
    const text = readFileSync(file, 'latin1');
    assert.ok(text.startsWith('checkpointd session log 1\n'));
    writeFileSync(file, text.replace('log 1\n', 'log 2\n'), 'latin1');
  },
  touched: /\/owner\.json$/,
};

const laterDatabase: Later = {
  what: 'a database of version 3',
  leave: (rig) => {
    sql(rig.storage, 'PRAGMA user_version = 3');
    sql(rig.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
  },
  touched: /\/owner\.json$/,
};

/** Moves every ref of the daemon to a commit whose record has a later format. */
const laterRecords: Later = {
  what: 'records of form 2',
  leave: (rig, session) => {
    const own = rig.shadow(session);
    const isLocal = existsSync(join(own, 'local'));
    const repository = isLocal ? join(rig.work, '.git') : own;
    const said = (...args: string[]): string => git(rig.work, `--git-dir=${repository}`, ...args);
    const refs = said('for-each-ref', '--format=%(objectname) %(refname)').split('\n');
    for (const [commit = '', ref = ''] of refs.map((line) => line.split(' '))) {
      const text = said('cat-file', '-p', commit);
      if (!text.startsWith('tree ')) continue;
      assert.match(text, /\n\ncheckpointd-record-1\n/);
      const file = join(rig.top, 'commit');
      writeFileSync(file, `${text.replace('-record-1\n', '-record-2\n')}\n`);
      said('update-ref', ref, said('hash-object', '-t', 'commit', '-w', file).trim());
      rmSync(file);
    }
  },
  touched: /\/owner\.json$/,
};

/** All strategies have the same markers and logs, so one strategy is enough for these. */
const laters: Readonly<Record<string, readonly Later[]>> = {
  shadow: [laterMarker, laterLog, laterRecords],
  local: [laterRecords],
  sqlite: [laterDatabase],
};

for (const strategy of Object.keys(strategies)) {
  test(`${strategy}: the daemon refuses data of a later version, says what to do, and changes nothing (O22, O23)`, async () => {
    assert.ok(laters[strategy], 'there is something that a later version may write');
    for (const { what, leave, touched } of laters[strategy] ?? []) {
      await withRig(async (rig) => {
        layOutFormat1(rig.top, strategy);
        leave(rig, sessionOfFormat1(rig.work, strategy));
        const before = everything([rig.storage, rig.work], touched);
        assert.ok(Object.keys(before).length > 10);
        const client = await rig.start();
        const params = { strategy, conversationId: conversationOfFormat1 } as const;
        for (const attempt of ['first', 'second']) {
          const refused = await failureOf(rig.open(client, params));
          assert.is(refused.kind, 'StoreVersion', `${what}, ${attempt}: ${refused.message}`);
          assert.match(refused.message, /newer|later/);
          assert.match(refused.message, /It was not changed/);
          assert.equal(everything([rig.storage, rig.work], touched), before, what);
        }
        // The daemon continues, and other sessions can be used.
        const other = await rig.open(client, { strategy: strategy === 'shadow' ? 'local' : 'shadow' });
        await client.request('checkpoint/create', { session: other.session, kind: 'turn' });
        await client.request('session/delete', { session: other.session });
        assert.is((await client.close()).code, 0);
      });
    }
  });
}

test('the daemon never removes data of a later version, neither on request nor at its start', () =>
  withRig(async (rig) => {
    layOutFormat1(rig.top, 'shadow');
    const session = sessionOfFormat1(rig.work, 'shadow');
    laterMarker.leave(rig, session);
    const file = join(rig.shadow(session), 'checkpointd', 'session.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"keep"', '"session"'));
    const before = everything([rig.shadow(session)]);
    assert.ok(Object.keys(before).length > 10);
    const client = await rig.start({ graceHours: 0 });
    const refused = await failureOf(client.request('session/delete', { session }));
    assert.is(refused.kind, 'StoreVersion');
    assert.match(refused.message, /It was not changed/);
    await rig.open(client, { strategy: 'shadow' }); // session/open starts the removal of old sessions
    assert.is((await client.close()).code, 0); // the close waits for this removal
    assert.equal(everything([rig.shadow(session)]), before);
  }));

test.run();
