// Tests how a daemon decides which process owns a session's directory.
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeSelf, type Holder } from '../../src/base/process-lock.ts';
import { type SessionMarker, sessionIdOf } from '../../src/session/description.ts';
import { SessionDirectory } from '../../src/session/directory.ts';
import { busy, lastSignOfLife, SessionOwner } from '../../src/session/owner.ts';

async function withDirectory(
  body: (directory: SessionDirectory, make: () => void) => Promise<void>,
): Promise<void> {
  const storage = mkdtempSync(join(tmpdir(), 'checkpointd-owner-'));
  const session = sessionIdOf('/work', storage, 'shadow');
  const directory = new SessionDirectory(storage, session);
  try {
    await body(directory, () =>
      directory.create({ marker: 'checkpointd session', session } as SessionMarker),
    );
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

const ownerIn = (directory: SessionDirectory): Record<string, unknown> =>
  JSON.parse(readFileSync(directory.ownerFile, 'utf8')) as Record<string, unknown>;

test('claiming a session makes its directory and records this process; a second claim gets the pid of this process', () =>
  withDirectory(async (directory, make) => {
    const owner = await SessionOwner.claim(directory, { prepare: make });
    assert.instance(owner, SessionOwner);
    assert.is(ownerIn(directory)['pid'], process.pid);
    const second = await SessionOwner.claim(directory);
    assert.not.instance(second, SessionOwner);
    assert.is((second as Holder).pid, process.pid);
    assert.match(busy(second as Holder).message, String(process.pid));
    (owner as SessionOwner).release();
    assert.is(ownerIn(directory)['released'], true);
    const third = await SessionOwner.claim(directory);
    assert.instance(third, SessionOwner);
    (third as SessionOwner).release();
  }));

test('if a claim cannot make the session’s directory, it releases the lock', () =>
  withDirectory(async (directory, make) => {
    const fail = (): void => {
      throw new Error('no space');
    };
    try {
      await SessionOwner.claim(directory, { prepare: fail });
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), 'no space');
    }
    const owner = await SessionOwner.claim(directory, { prepare: make });
    assert.instance(owner, SessionOwner);
    (owner as SessionOwner).release();
  }));

test('if a session’s directory is removed, no other process gets the lock until the owner releases it', () =>
  withDirectory(async (directory, make) => {
    const owner = await SessionOwner.claim(directory, { prepare: make });
    rmSync(directory.root, { recursive: true });
    assert.not.instance(await SessionOwner.claim(directory, { prepare: make }), SessionOwner);
    assert.not.ok(existsSync(directory.root));
    (owner as SessionOwner).release();
    assert.not.ok(existsSync(directory.root), 'a release makes nothing');
  }));

test('if the lock is free, owner.json shows by pid, start time, namespace and heartbeat whether the owner lives (F97)', () =>
  withDirectory(async (directory, make) => {
    make();
    const self = describeSelf();
    const claimable = async (owner: object, silentMs = 0): Promise<boolean> => {
      writeFileSync(directory.ownerFile, JSON.stringify(owner));
      const then = new Date(Date.now() - silentMs);
      utimesSync(directory.ownerFile, then, then);
      const claim = await SessionOwner.claim(directory);
      if (claim instanceof SessionOwner) claim.release();
      return claim instanceof SessionOwner;
    };
    // Uses the parent process as an example of another living process.
    const init = { ...self, pid: process.ppid, startTime: startTimeOf(process.ppid) };
    assert.is(await claimable(init), false, 'alive in another network namespace');
    assert.is(await claimable({ ...init, released: true }), true, 'alive, but gave it up');
    assert.is(await claimable({ ...init, startTime: '1' }), true, 'a reused pid');
    assert.is(await claimable({ ...init, bootId: 'another' }), true, 'before the last boot');
    const hidden = { ...self, pidNamespace: 'pid:[1]' };
    assert.is(await claimable(hidden), false, 'cannot be seen, was heard of a moment ago');
    assert.is(await claimable(hidden, 11 * 60_000), true, 'cannot be seen nor heard');
    assert.is(await claimable({ ...hidden, released: true }), true);
    assert.is(await claimable(self), true, 'this process, which released it');
    writeFileSync(directory.ownerFile, '');
    assert.type(lastSignOfLife(directory), 'number');
    const afterPowerCut = await SessionOwner.claim(directory);
    assert.instance(afterPowerCut, SessionOwner, 'only a power cut leaves an owner.json that cannot be read');
    (afterPowerCut as SessionOwner).release();
  }));

function startTimeOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

test.run();
