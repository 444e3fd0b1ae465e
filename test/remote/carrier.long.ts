// Uses real servers on the loopback address: sshd, and https in front of git's own backend. A session is pushed and
// fetched back. No program asks for a password, and interrupted connections lose nothing.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DaemonRig } from '../support/daemon-rig.ts';
import { type GitServer, sshdObstacle, startCutter, startHttps, startSshd } from '../support/git-servers.ts';
import { bareRepository } from '../support/machines.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { WireClient } from '../support/wire-client.ts';

const cuts = 30;

interface Place {
  readonly server: GitServer;
  readonly remote: string;
  readonly container: DaemonRig;
  readonly laptop: DaemonRig;
}

async function onServer(
  start: (directory: string) => Promise<GitServer>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const server = await start(temporaryDirectory('server'));
  const [container, laptop] = [new DaemonRig(), new DaemonRig()];
  for (const { home } of [container, laptop]) writeFileSync(join(home, '.gitconfig'), server.gitconfig);
  try {
    await work({ server, remote: bareRepository(), container, laptop });
  } finally {
    await container.dispose();
    await laptop.dispose();
    await server.close();
  }
}

async function startedWith(rig: DaemonRig, url: string): Promise<WireClient> {
  const client = await rig.start({ events: ['remote/didPush'] });
  await client.request('remote/add', { name: 'team', url });
  return client;
}

function kindOf(error: unknown): unknown {
  return (
    (error as { readonly data?: { readonly kind?: string } }).data?.kind ?? (error as { kind?: string }).kind
  );
}

const servers: readonly (readonly [
  name: string,
  obstacle: string | undefined,
  start: (directory: string) => Promise<GitServer>,
])[] = [
  ['ssh', sshdObstacle(), startSshd],
  ['https', undefined, startHttps],
];

for (const [name, obstacle, start] of servers) {
  if (obstacle !== undefined) {
    console.log(`note: the tests of ${name} are skipped: ${obstacle}`);
    continue;
  }

  test(`a session that was pushed over ${name} can be fetched from the remote`, () =>
    onServer(start, async ({ server, remote, container, laptop }) => {
      const client = await startedWith(container, server.url(remote));
      const { session } = await container.open(client, { retention: 'keep' });
      const nothing = { lines: [], refused: [], deleted: [] };
      assert.equal(await client.request('remote/sessions', { remote: 'team' }), nothing);
      container.write('a.txt', `by ${name}\n`);
      await client.request('checkpoint/create', { session, kind: 'turn', message: 'one' });
      const pushed = await client.request('remote/push', { remote: 'team', session });
      assert.is(pushed.pushed, true);
      const other = await startedWith(laptop, server.url(remote));
      const { lines } = await other.request('remote/sessions', { remote: 'team' });
      assert.equal(
        lines.map(({ head }) => head),
        [pushed.head],
      );
      const imported = await other.request('session/import', {
        remote: 'team',
        session,
        workspace: laptop.work,
      });
      const { conversationId } = imported;
      const opened = await other.request('session/open', {
        workspace: laptop.work,
        conversationId,
        retention: 'keep',
      });
      await other.request('checkpoint/restore', { session: opened.session, tag: '1', mode: 'hard' });
      assert.equal(laptop.tree(), container.tree());
    }));

  test(`the host of ${name} immediately refuses an unknown user`, () =>
    onServer(start, async ({ server, remote, container }) => {
      const config = join(container.home, '.gitconfig');
      // The client knows the host key, but has neither a password nor a key of its own.
      writeFileSync(
        config,
        server.gitconfig
          .replace(/\[credential\][^]*/, '')
          .replace('ssh -F', 'ssh -o IdentityAgent=none -o PubkeyAuthentication=no -F'),
      );
      const client = await startedWith(container, server.url(remote));
      const started = performance.now();
      const error = await client
        .request('remote/sessions', { remote: 'team' })
        .catch((reason: unknown) => reason);
      assert.is(kindOf(error), 'RemoteRefused', JSON.stringify(error));
      assert.ok(performance.now() - started < 15_000);
    }));

  test(`if the host of ${name} is busy, the daemon repeats the push later`, () =>
    onServer(start, async ({ server, remote, container }) => {
      const cutter = await startCutter(server.port);
      const client = await startedWith(container, server.url(remote, cutter.port));
      const { session } = await container.open(client, { retention: 'keep' });
      // A busy https server answers 429. A busy sshd closes the connection before it sends a byte.
      server.refusal = 429;
      cutter.cutAfter = name === 'ssh' ? 0 : Number.POSITIVE_INFINITY;
      const error = await client
        .request('remote/push', { remote: 'team', session })
        .catch((reason: unknown) => reason);
      const { data } = error as {
        readonly data?: { readonly retryable?: boolean; readonly reason?: string };
      };
      assert.is(kindOf(error), name === 'ssh' ? 'RemoteUnreachable' : 'RemoteRefused');
      assert.is(data?.retryable, true, JSON.stringify(error));
      await container.open(client, { retention: 'keep', remote: 'team', push: 'turn' });
      const pushes = (): boolean[] => client.events('remote/didPush').map(({ pushed }) => pushed);
      await until('a push in the background fails', () => pushes().length === 1);
      server.refusal = undefined;
      cutter.cutAfter = Number.POSITIVE_INFINITY;
      await until('the push is repeated', () => pushes().length === 2);
      assert.equal(pushes(), [false, true]);
      cutter.close();
    }));

  test(`${cuts} interrupted connections lose nothing that is pushed over ${name}`, () =>
    onServer(start, async ({ server, remote, container, laptop }) => {
      const cutter = await startCutter(server.port);
      const client = await startedWith(container, server.url(remote, cutter.port));
      const { session } = await container.open(client, { retention: 'keep' });
      let [failed, succeeded] = [0, 0];
      let writer: string | undefined;
      await client.request('remote/push', { remote: 'team', session });
      const wholePush = cutter.longest;
      for (let cut = 0; cut < cuts; cut += 1) {
        container.write('a.txt', `${cut}\n${'x'.repeat(cut * 50)}`);
        await client.request('checkpoint/create', { session, kind: 'turn', message: `cut ${cut}` });
        // Every fifth push is not interrupted, so that the amount to push stays small. Each cut comes between the first
        // byte and the last byte. The last bytes are the answer of the remote.
        cutter.cutAfter = cut % 5 === 4 ? Number.POSITIVE_INFINITY : Math.floor((wholePush * cut) / cuts);
        try {
          const pushed = await client.request('remote/push', { remote: 'team', session });
          assert.is(pushed.writer, (writer ??= pushed.writer));
          succeeded += 1;
        } catch (error) {
          assert.ok(
            ['RemoteUnreachable', 'RemoteRefused', 'RemoteCorrupt'].includes(String(kindOf(error))),
            JSON.stringify(error),
          );
          failed += 1;
        }
      }
      assert.ok(failed >= cuts / 3 && succeeded >= cuts / 5, `${failed} failed, ${succeeded} succeeded`);
      cutter.cutAfter = Number.POSITIVE_INFINITY;
      const last = await client.request('remote/push', { remote: 'team', session });
      assert.equal([last.writer, last.others, last.checkpoints], [writer, [], cuts + 1]);
      execFileSync('git', ['fsck', '--strict'], { cwd: remote, stdio: 'pipe' });
      const other = await startedWith(laptop, server.url(remote, cutter.port));
      cutter.longest = 0;
      await other.request('remote/sessions', { remote: 'team' });
      const wholeList = cutter.longest;
      for (let cut = 0; cut < 12; cut += 1) {
        cutter.cutAfter = Math.floor((wholeList * 1.2 * cut) / 12);
        await other.request('remote/fetch', { remote: 'team' }).catch(() => undefined);
      }
      cutter.cutAfter = Number.POSITIVE_INFINITY;
      const imported = await other.request('session/import', {
        remote: 'team',
        session,
        workspace: laptop.work,
      });
      assert.is(imported.checkpoints, cuts + 1);
      cutter.close();
    }));
}

test.run();
