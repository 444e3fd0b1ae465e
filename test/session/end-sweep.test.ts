// At its start, the daemon removes what dead daemons have left. The daemon must keep sessions that can still be used.
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/base/log.ts';
import { describeSelf } from '../../src/base/process-lock.ts';
import { installFault } from '../../src/base/seam.ts';
import { type SessionMarker, sessionIdOf } from '../../src/session/description.ts';
import { SessionDirectory } from '../../src/session/directory.ts';
import { sweepStorage } from '../../src/session/end.ts';
import { SessionOwner } from '../../src/session/owner.ts';
import type { SessionEvents } from '../../src/session/session.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { renameAway, renameStoreAway } from '../../src/session/trash.ts';
import { git } from '../support/git-oracle.ts';
import { withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

const hour = 3_600_000;
const logged: string[] = [];
const log = createLog('debug', [(level, message) => logged.push(`${level} ${message}`)]);

async function inStorage(body: (storage: string) => Promise<void>): Promise<void> {
  const storage = mkdtempSync(join(tmpdir(), 'checkpointd-sweep-'));
  try {
    await body(storage);
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

/**
 * Makes an orphaned session, as a killed daemon leaves it. The owner's last heartbeat is the given number of hours old.
 */
function orphan(
  storage: string,
  name: string,
  hours: number,
  more: Partial<SessionMarker> = {},
): SessionDirectory {
  const session = sessionIdOf('/work', name, 'shadow');
  const directory = new SessionDirectory(storage, session);
  directory.create({
    marker: 'checkpointd session',
    format: 1,
    session,
    workTree: '/work',
    workTreeIdentity: '1:1',
    conversationId: name,
    strategy: 'shadow',
    retention: 'session',
    created: new Date(Date.now() - hours * hour).toISOString(),
    ...more,
  });
  mkdirSync(join(directory.root, 'objects'));
  writeFileSync(join(directory.root, 'objects', 'one'), 'x');
  // The owner looks dead, because the process with its pid (this process) has a different start time.
  writeFileSync(directory.ownerFile, JSON.stringify({ ...describeSelf(), startTime: '1' }));
  const then = new Date(Date.now() - hours * hour);
  utimesSync(directory.ownerFile, then, then);
  return directory;
}

test('a daemon keeps an old orphaned session that has an unfinished restore, has no session.json, or belongs to another user (F98)', () =>
  inStorage(async (storage) => {
    const clean = orphan(storage, 'clean', 25);
    const young = orphan(storage, 'young', 23);
    const journal = orphan(storage, 'journal', 25);
    writeFileSync(journal.intentFile, '{}');
    const foreign = orphan(storage, 'foreign', 25);
    const unmarked = orphan(storage, 'unmarked', 25);
    rmSync(unmarked.markerFile);
    const others = [young, journal, unmarked];
    if (process.getuid?.() === 0) {
      chownSync(foreign.root, 12345, 12345);
      others.push(foreign);
    } else {
      console.log('skipped: only root can make a directory of another user');
      rmSync(foreign.root, { recursive: true });
    }
    const removed = await sweepStorage(storage, 24 * hour, log);
    assert.equal(removed, [clean.session]);
    assert.equal(readdirSync(storage).sort(), others.map(({ session }) => session).sort());
  }));

test('without a grace period, a daemon removes orphaned sessions, but no kept, open or foreign directory', () =>
  inStorage(async (storage) => {
    orphan(storage, 'kept', 1000, { retention: 'keep' });
    orphan(storage, 'copied', 1000, { session: sessionIdOf('/other', 'x', 'shadow') });
    const strange = orphan(storage, 'strange', 1000);
    writeFileSync(strange.markerFile, '{"marker":"something else"}');
    const broken = orphan(storage, 'broken', 1000);
    writeFileSync(broken.markerFile, '{"marker":"checkpointd ses');
    const living = orphan(storage, 'living', 1000);
    const owner = await SessionOwner.claim(living);
    assert.instance(owner, SessionOwner);
    const elsewhere = orphan(storage, 'elsewhere', 0);
    writeFileSync(elsewhere.ownerFile, JSON.stringify({ ...describeSelf(), pidNamespace: 'pid:[1]' }));
    mkdirSync(join(storage, 'foreign'));
    mkdirSync(join(storage, 'ses_short'));
    writeFileSync(join(storage, 'file'), '');
    const before = readdirSync(storage).sort();
    const removed = await sweepStorage(storage, 0, log);
    assert.equal(removed, []);
    assert.equal(readdirSync(storage).sort(), before);
    (owner as SessionOwner).release();
    assert.equal(await sweepStorage(storage, 0, log), [living.session]);
  }));

test('the next start of a daemon deletes a session that was renamed for deletion, even if it is half deleted', () =>
  inStorage(async (storage) => {
    const whole = orphan(storage, 'whole', 0);
    const half = orphan(storage, 'half', 0);
    const store = orphan(storage, 'store', 0, { retention: 'keep' });
    renameAway(whole);
    const left = renameAway(half) ?? '';
    rmSync(join(left, 'objects'), { recursive: true });
    for (const name of readdirSync(join(left, 'checkpointd'))) rmSync(join(left, 'checkpointd', name));
    renameStoreAway(store);
    assert.equal(readdirSync(store.root), ['checkpointd']);
    const foreign = `.trash-${whole.session}-0123456789ab`;
    mkdirSync(join(storage, foreign, 'precious'), { recursive: true });
    const link = `.trash-${whole.session}-ba9876543210`;
    symlinkSync(store.root, join(storage, link));
    await sweepStorage(storage, 24 * hour, log);
    assert.equal(readdirSync(storage).sort(), [foreign, link, store.session].sort());
    assert.ok(store.exists());
  }));

test('if an orphaned session has data outside its directory that cannot be removed, the session stays', () =>
  withSessions(async (rig) => {
    const asked = { workspace: rig.work, conversationId: 'c', strategy: 'local', retention: 'keep' } as const;
    const { session: id } = await rig.request('session/open', asked);
    const { parts } = rig.sessions.get(id);
    await rig.sessions.close(id);
    const refs = (): string => git(rig.work, 'for-each-ref', 'refs/checkpointd');
    const { storage, root } = parts.directory;
    parts.directory.create({ ...parts.marker, retention: 'session' });
    installFault((call, target) => {
      if (call === 'lstat' && target.endsWith('.git/HEAD')) throw new Error('the repository is gone');
    });
    assert.equal(await sweepStorage(storage, 0, log).finally(() => installFault(undefined)), []);
    assert.ok(logged.some((line) => line.startsWith('warn') && line.includes(id)));
    assert.ok(existsSync(root) && refs() !== '');
    assert.equal(await sweepStorage(storage, 0, log), [id]);
    assert.not(existsSync(root) || refs() !== '');
  }));

test('if the storage is missing, a daemon removes no orphaned session and goes on', async () => {
  const removed = await sweepStorage(join(tmpdir(), 'checkpointd-none-such'), 0, log);
  assert.equal(removed, []);
});

test('some time after its start, a daemon removes orphaned sessions even if no session is opened', () =>
  inStorage(async (storage) => {
    const old = orphan(storage, 'old', 25);
    const young = orphan(storage, 'young', 23);
    const surroundings = { events: {} as SessionEvents, log, onPoison: assert.unreachable };
    const sessions = new Sessions({ surroundings, defaultStorage: storage, log });
    sessions.sweepAtStart(1);
    for (let i = 0; i < 5000 && readdirSync(storage).length > 1; i += 1) await sleep(2);
    await sessions.deletionsDone();
    assert.not(old.exists());
    assert.ok(young.exists());
    await sessions.closeAll('orderly');
  }));

test('without a grace period, a daemon removes orphaned sessions as soon as it starts', () =>
  inStorage(async (storage) => {
    const young = orphan(storage, 'young', 1);
    const surroundings = { events: {} as SessionEvents, log, onPoison: assert.unreachable };
    const sessions = new Sessions({ surroundings, defaultStorage: storage, orphanGraceMs: 0, log });
    sessions.sweepAtStart();
    await until('the orphan is removed, and no session was opened', () => !young.exists());
    await sessions.deletionsDone();
    assert.equal(readdirSync(storage), []);
    await sessions.closeAll('orderly');
  }));

test.run();
