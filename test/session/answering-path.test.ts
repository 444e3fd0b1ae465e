// Tests that no path from a client makes the daemon hang or loop. The tests try pseudo file systems, devices, FIFOs,
// files in place of directories and circular links. The tests also try a mount that never answers (a FUSE connection
// without a server).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { failureOf } from '../support/wire-client.ts';

test('the daemon refuses a storageDir, workspace or file that it cannot use, and continues', () =>
  withRig(async (rig) => {
    spawnSync('mkfifo', [join(rig.top, 'fifo')]);
    writeFileSync(join(rig.top, 'file'), 'x');
    symlinkSync('circle', join(rig.top, 'circle'));
    const paths = ['fifo', 'file', 'file/below', 'circle', 'circle/below', 'fifo/below'].map((name) =>
      join(rig.top, name),
    );
    if (process.platform === 'linux')
      paths.push(
        '/proc/nope',
        '/proc/nope/a/b',
        '/sys/nope',
        '/dev/null/x',
        '/dev/null',
        '/dev/stdin',
        '/proc/self/fd/0',
        '/proc/1/root/proc/nope',
      );
    const client = await rig.start();
    const { session } = await rig.open(client);
    for (const path of paths) {
      const storage = await failureOf(rig.open(client, { storageDir: path }));
      assert.ok(
        ['StoreUnavailable', 'ReadOnlyStore'].includes(storage.kind ?? ''),
        `${path}: ${storage.kind}`,
      );
      const work = await failureOf(rig.open(client, { workspace: path }));
      assert.ok(
        ['WorkTreeMissing', 'NotADirectory', 'WorkTreeUnreadable'].includes(work.kind ?? ''),
        `${path}: ${work.kind}`,
      );
      const document = await failureOf(client.request('conversation/import', { session, path }));
      assert.ok(
        ['InvalidParams', 'DocumentInvalid'].includes(document.kind ?? ''),
        `${path}: ${document.kind}`,
      );
    }
    await client.request('session/list', { storageDir: '/proc/nope' }).catch(() => undefined);
    assert.is((await client.close()).code, 0);
  }));

/** Mounts a directory whose server never answers. Returns undefined if this machine does not allow the mount. */
async function deadMount(place: string): Promise<(() => Promise<void>) | undefined> {
  if (process.getuid?.() !== 0 || !existsSync('/dev/fuse')) return undefined;
  mkdirSync(place);
  const script =
    'exec 3<>/dev/fuse && mount -i -t fuse none "$0" -o fd=3,rootmode=40000,user_id=0,group_id=0 && echo mounted && exec sleep 120';
  const holder = spawn('bash', ['-c', script, place], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  holder.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise((resolve) => holder.once('exit', resolve));
  await until(
    'the mount has succeeded or failed',
    () => said.includes('mounted') || holder.exitCode !== null,
  );
  if (holder.exitCode !== null) return undefined;
  return async () => {
    holder.kill('SIGKILL'); // closing the only descriptor ends the connection, and the waiting process gets an error
    await ended;
    spawnSync('umount', ['-l', place]);
  };
}

test('if a mount never answers, a request for a path on this mount fails and says so; other requests work', () =>
  withRig(async (rig) => {
    const place = join(rig.top, 'dead');
    const release = await deadMount(place);
    if (release === undefined) return console.log('skipped: needs root and /dev/fuse');
    try {
      const client = await rig.start();
      const { session } = await rig.open(client);
      const path = join(place, 'conversation.json');
      const hanging = [
        rig.open(client, { workspace: place }),
        rig.open(client, { workspace: join(place, 'below') }),
        rig.open(client, { storageDir: join(place, 'storage') }),
        client.request('session/list', { storageDir: place }),
        client.request('session/delete', { session: 'ses_00000000000000000000000000', storageDir: place }),
        client.request('conversation/import', { session, path }),
        client.request('conversation/export', { session, path }),
      ].map((request) => failureOf(request));
      const made = await client.request('checkpoint/create', { session, kind: 'turn' });
      assert.is(made.checkpoint?.tag, '1', 'the open session goes on');
      assert.equal(
        (await Promise.all(hanging)).map(({ kind }) => kind),
        [
          'WorkTreeUnreadable',
          'WorkTreeUnreadable',
          'StoreUnavailable',
          'StoreUnavailable',
          'StoreUnavailable',
          'InvalidParams',
          'InvalidParams',
        ],
      );
      const last = failureOf(rig.open(client, { workspace: place }));
      const started = performance.now();
      await client.request('shutdown', {});
      const took = performance.now() - started;
      assert.ok(took < 1000, `shutdown answered after ${took} ms`);
      client.notify('exit');
      assert.is((await client.exit()).code, 0);
      await last.catch(() => undefined);
    } finally {
      await release();
    }
    return undefined;
  }));

test.run();
