// The daemon neither removes nor writes a directory that it did not make. In each test, a link or another directory
// takes the place of a session's directory. Afterwards the test checks that no byte of that link or directory has
// changed.
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { failureOf } from '../support/wire-client.ts';

/** Makes a directory with a user's work. */
function victimIn(rig: DaemonRig): string {
  const victim = join(rig.top, 'victim');
  mkdirSync(join(victim, 'checkpointd'), { recursive: true });
  for (const name of ['thesis.tex', 'HEAD', 'checkpointd/notes'])
    writeFileSync(join(victim, name), `my ${name}\n`);
  return victim;
}

function contentsOf(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort())
    if (lstatSync(join(directory, name)).isFile()) found[name] = readFileSync(join(directory, name), 'utf8');
  return found;
}

/** Returns the id that a session in this rig gets. */
async function idOf(rig: DaemonRig): Promise<string> {
  const { client, session } = await rig.opened();
  await client.close();
  await rig.emptied();
  return session;
}

test('session/open refuses a link at the path of a new session, and leaves the link’s target unchanged', () =>
  withRig(async (rig) => {
    const session = await idOf(rig);
    const victim = victimIn(rig);
    const before = contentsOf(victim);
    symlinkSync(victim, rig.shadow(session));
    const client = await rig.start();
    const failure = await failureOf(rig.open(client));
    assert.is(failure.kind, 'StoreUnavailable');
    assert.match(failure.message, rig.shadow(session));
    assert.is((await failureOf(client.request('session/delete', { session }))).kind, 'StoreUnavailable');
    assert.equal((await client.request('session/list', {})).sessions, []);
    assert.is((await client.close()).code, 0);
    assert.equal(contentsOf(victim), before);
    assert.is(readlinkSync(rig.shadow(session)), victim);
  }));

test('session/open fails if a directory with the user’s files is at the path of a session, and keeps the files', () =>
  withRig(async (rig) => {
    const session = await idOf(rig);
    cpSync(victimIn(rig), rig.shadow(session), { recursive: true });
    const before = contentsOf(rig.shadow(session));
    const client = await rig.start();
    const failure = await failureOf(rig.open(client));
    assert.is(failure.kind, 'StoreUnavailable');
    assert.match(failure.message, 'thesis.tex');
    await client.close();
    assert.equal(contentsOf(rig.shadow(session)), before);
  }));

test('session/delete does not follow a link that the user left in place of a moved session', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.close();
    const moved = join(rig.top, 'moved');
    renameSync(rig.shadow(session), moved);
    symlinkSync(moved, rig.shadow(session));
    const before = contentsOf(moved);
    const next = await rig.start();
    const failure = await failureOf(next.request('session/delete', { session }));
    assert.is(failure.kind, 'StoreUnavailable');
    assert.match(failure.message, 'link');
    await next.close();
    assert.equal(contentsOf(moved), before);
  }));

test('a session that was restored from a backup can be resumed and deleted', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.close();
    const place = rig.shadow(session);
    cpSync(place, `${place}-backup`, { recursive: true });
    rmSync(place, { recursive: true });
    cpSync(`${place}-backup`, place, { recursive: true });
    const next = await rig.opened({ retention: 'keep' });
    assert.is(next.resumed, true);
    await next.client.request('session/delete', { session });
    assert.not.ok(existsSync(place));
    await next.client.close();
  }));

test('a copied session that contains files of the user can be resumed, and is not removed at its end', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.close();
    const place = rig.shadow(session);
    renameSync(place, `${place}-aside`);
    cpSync(`${place}-aside`, place, { recursive: true });
    writeFileSync(join(place, 'thesis.tex'), 'my thesis\n');
    const next = await rig.opened({ retention: 'session' });
    assert.is(next.resumed, true);
    assert.equal(await next.client.request('session/close', { session }), {
      removed: false,
      reason: 'notOurs',
    });
    await next.client.close();
    assert.is(readFileSync(join(place, 'thesis.tex'), 'utf8'), 'my thesis\n');
  }));

for (const how of ['closed', 'open'] as const) {
  test(`session/delete keeps a directory that took the place of a session (${how}), even if the directory has the session’s marker`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened({ retention: 'keep' });
      const place = rig.shadow(session);
      if (how === 'closed') await client.request('session/close', { session });
      renameSync(place, `${place}-aside`);
      cpSync(`${place}-aside`, place, { recursive: true });
      writeFileSync(join(place, 'thesis.tex'), 'my thesis\n');
      const failure = await failureOf(client.request('session/delete', { session }));
      assert.is(failure.kind, 'StoreUnavailable');
      await client.close();
      assert.is(readFileSync(join(place, 'thesis.tex'), 'utf8'), 'my thesis\n');
      assert.ok(existsSync(join(place, 'checkpointd', 'session.json')));
    }));
}

test('if a link replaces the directory of an open session, session/close keeps the link and its target', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const victim = victimIn(rig);
    const before = contentsOf(victim);
    renameSync(rig.shadow(session), join(rig.top, 'aside'));
    symlinkSync(victim, rig.shadow(session));
    assert.equal(await client.request('session/close', { session }), { removed: false, reason: 'notOurs' });
    await client.close();
    assert.equal(contentsOf(victim), before);
    assert.is(readlinkSync(rig.shadow(session)), victim);
    assert.match(rig.logText(), /is a link/);
  }));

test('if a link replaces the log or the directory of a session, session/open refuses the link, and leaves its target unchanged', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.close();
    const own = join(rig.shadow(session), 'checkpointd');
    const victim = join(rig.top, 'victim.log');
    writeFileSync(victim, 'checkpointd session log 1\n');
    const log = join(own, 'session.log');
    renameSync(log, `${log}-aside`);
    symlinkSync(victim, log);
    const second = await rig.start();
    const failure = await failureOf(rig.open(second, { retention: 'keep' }));
    assert.is(failure.kind, 'StoreCorrupt');
    assert.match(failure.message, 'session.log');
    assert.is(readFileSync(victim, 'utf8'), 'checkpointd session log 1\n');
    rmSync(log);
    renameSync(`${log}-aside`, log);
    renameSync(own, join(rig.top, 'own'));
    symlinkSync(join(rig.top, 'own'), own);
    const before = contentsOf(join(rig.top, 'own'));
    assert.is((await failureOf(rig.open(second, { retention: 'keep' }))).kind, 'StoreUnavailable');
    await second.close();
    assert.equal(contentsOf(join(rig.top, 'own')), before);
  }));

test('when the daemon deletes a session directory that it renamed for deletion, it follows no links', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const victim = victimIn(rig);
    const before = contentsOf(victim);
    await client.kill();
    const trash = join(rig.storage, `.trash-${session}-0123456789ab`);
    renameSync(rig.shadow(session), trash);
    symlinkSync(victim, join(trash, 'elsewhere'));
    const foreign = join(rig.storage, `.trash-${session}-ba9876543210`);
    mkdirSync(foreign);
    symlinkSync(victim, join(foreign, 'checkpointd'));
    const next = await rig.opened({ conversationId: 'another' });
    await until('the renamed directory is deleted', () => !existsSync(trash));
    await next.client.close();
    assert.equal(contentsOf(victim), before);
    assert.ok(lstatSync(join(foreign, 'checkpointd')).isSymbolicLink());
  }));

test.run();
