// Tests a shadow repository whose git processes are killed, stall, lose their writer or must end with the store.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId, SnapshotId } from '../../../src/base/ids.ts';
import { isAlive } from '../../../src/base/process-lock.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { capture, contents, git, inTemporary, record } from '../../support/git-oracle.ts';
import { large, open, rejects, tag, withShadow } from './shadow-rig.ts';

test('a killed git process fails no request, because another git process repeats the work (F61)', () =>
  withShadow(async (store, shadow) => {
    let seq = 0;
    let killed = 0;
    const until = Date.now() + 4000;
    while (Date.now() < until) {
      seq += 1;
      const kill = setTimeout(() => {
        const pids = store.pids;
        const pid = pids[seq % Math.max(1, pids.length)];
        if (pid === undefined) return;
        try {
          process.kill(pid, 'SIGKILL');
          killed += 1;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }, seq % 12);
      const { snapshot } = await capture(store, { f: large(`${seq}`), [`d/${seq}`]: `${seq}` });
      await store.publish({ record: record(seq, snapshot), tag: tag(String(seq % 5)), name: `n${seq}` });
      clearTimeout(kill);
    }
    assert.ok(killed > 10, `children were killed (${killed} of ${seq})`);
    const list = await store.checkpoints();
    assert.equal(
      list.map(({ record }) => record.seq),
      Array.from({ length: seq }, (_, index) => index + 1),
    );
    assert.ok(list.every(({ record, name }) => name === `n${record.seq}`));
    assert.equal(
      list.slice(-5).map(({ record, tag }) => tag === String(record.seq % 5)),
      [true, true, true, true, true],
    );
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    assert.equal(await store.verify(), []);
  }));

/** Asks for the size and content of an object that is not loose, so that the store must ask git. */
async function askGit(store: GitStore): Promise<void> {
  const missing = '1'.repeat(40);
  assert.equal(await store.sizes([missing as BlobId]), [-1]);
  await rejects(store.entries(missing as SnapshotId), 'StoreCorrupt');
}

test('the store kills a stalled git process, and another git process answers the request (F62)', () =>
  withShadow(async (store) => {
    const { snapshot } = await capture(store, { f: 'one' });
    await askGit(store);
    assert.ok(store.pids.length >= 2);
    for (const pid of store.pids) process.kill(pid, 'SIGSTOP');
    const started = Date.now();
    await askGit(store);
    assert.equal(await contents(store, snapshot), { f: 'one' });
    assert.ok(Date.now() - started < 20_000);
  }));

test('an aborted writer leaves no file behind, and the store stays usable', () =>
  withShadow(async (store) => {
    const writer = store.writer();
    const spool = join(store.spoolDirectory, 'left');
    writeFileSync(spool, 'x');
    const hash = store.hash(1);
    hash.update(Buffer.from('x'));
    await writer.addBlob(hash.digest(), { kind: 'spool', file: spool, size: 1 });
    await writer.abort();
    assert.equal(readdirSync(store.spoolDirectory), []);
    await rejects(writer.seal({ entries: new Map() }), 'StoreUnavailable');
    const { snapshot } = await capture(store, {});
    assert.is(snapshot, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
    assert.equal(await store.entries(snapshot), []);
    await store.publish({ record: record(1, snapshot), tag: tag('0') });
  }));

test('killing the store ends all its git processes immediately, and the store can still be closed', () =>
  inTemporary(async (directory) => {
    const store = await open(directory);
    const { snapshot } = await capture(store, { f: large('1') });
    await store.publish({ record: record(1, snapshot) });
    await contents(store, snapshot);
    await askGit(store);
    for (const name of ['first', undefined]) await store.rename(record(1, snapshot).id, name);
    const pids = store.pids;
    assert.ok(pids.length >= 3);
    store.kill();
    for (let tries = 0; tries < 100 && pids.some(isAlive); tries += 1) await sleep(20);
    assert.not.ok(pids.some(isAlive));
    await store.close();
  }));

test.run();
