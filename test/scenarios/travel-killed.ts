// Kills the daemon at the n-th call of the seam during a push, a fetch or an import. The next daemon repeats the
// request. Then the remote has the complete session, and another machine gets every checkpoint byte for byte.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type DaemonRig, faultyEntry, withRig } from '../support/daemon-rig.ts';
import { bareRepository } from '../support/machines.ts';
import { until } from '../support/until.ts';
import type { WireClient } from '../support/wire-client.ts';

export type Killed = 'remote/push' | 'remote/fetch' | 'session/import';

/**
 * Kills a daemon at the n-th call during a request, or only counts the calls if n is 0. Returns the number of calls.
 */
export type Kill = (n: number) => Promise<number>;

/**
 * Calls `body` with a function that kills the daemon during this method. A fetch or an import does not change the
 * remote. Therefore all killed fetches and imports use the same remote and the same pushing machine.
 */
export function withKills(
  method: Killed,
  strategy: string,
  body: (kill: Kill) => Promise<void>,
): Promise<void> {
  if (method === 'remote/push') return body((n) => withRig((container) => killPush(container, n, strategy)));
  return withRig(async (container) => {
    const remote = bareRepository();
    await push(container, remote, strategy, 0);
    const session = container.sessions()[0] ?? '';
    await body((n) =>
      withRig(async (laptop) => {
        const calls = await killTaking(laptop, remote, { method, n, session, strategy });
        const where = `${method} in ${strategy}, call ${n}`;
        await takesOver(container, laptop, { remote, session, strategy, where });
        return calls;
      }),
    );
  });
}

async function killPush(rig: DaemonRig, n: number, strategy: string): Promise<number> {
  const remote = bareRepository();
  await push(rig, remote, strategy, 0);
  rig.write('a.txt', 'second\n');
  const { client, count, arm } = await doomed(rig, n);
  const { session } = await rig.open(client, { strategy, retention: 'keep' });
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'second' });
  writeFileSync(arm, '');
  await client.request('remote/push', { remote: 'team', session }).catch(ofEnd);
  await client.kill();
  await until('git ends', () => rig.children().length === 0, 10_000);
  await push(rig, remote, strategy, n);
  const where = `remote/push in ${strategy}, call ${n}`;
  await withRig((laptop) => takesOver(rig, laptop, { remote, session, strategy, where }));
  return countIn(count);
}

async function killTaking(
  rig: DaemonRig,
  remote: string,
  { method, n, session, strategy }: { method: Killed; n: number; session: string; strategy: string },
): Promise<number> {
  const { client, count, arm } = await doomed(rig, n);
  await client.request('remote/add', { name: 'team', url: remote });
  writeFileSync(arm, '');
  const asked =
    method === 'remote/fetch'
      ? client.request('remote/fetch', { remote: 'team' })
      : importAndOpen(client, rig, { session, strategy });
  await asked.catch(ofEnd);
  await client.kill();
  await until('git ends', () => rig.children().length === 0, 10_000);
  return countIn(count);
}

/** Imports the session. If the strategy converts the session after the answer, also waits for the conversion. */
async function importAndOpen(
  client: WireClient,
  rig: DaemonRig,
  { session, strategy }: { session: string; strategy: string },
): Promise<void> {
  const params = { remote: 'team', session, workspace: rig.work, strategy };
  const { conversationId } = await client.request('session/import', params);
  if (strategy === 'sqlite') await rig.open(client, { conversationId, strategy, retention: 'keep' });
}

/** Starts a daemon that dies at the n-th call after the file `arm` exists. */
async function doomed(
  rig: DaemonRig,
  n: number,
): Promise<{ client: WireClient; count: string; arm: string }> {
  const [arm, count] = [join(rig.top, 'arm'), join(rig.top, 'count')];
  for (const file of [arm, count]) rmSync(file, { force: true });
  const args = [`--kill=${n}:${arm}:${count}:`];
  return { client: await rig.start({ command: [process.execPath, faultyEntry], args }), count, arm };
}

function ofEnd(error: unknown): void {
  if (error instanceof Error && error.name === 'WireFailure') throw error;
}

const countIn = (file: string): number =>
  existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0;

/** Opens the session with a checkpoint, and pushes it. */
async function push(rig: DaemonRig, remote: string, strategy: string, n: number): Promise<void> {
  const client = await rig.start();
  await client.request('remote/add', { name: 'team', url: remote });
  const { session, resumed } = await rig.open(client, { strategy, retention: 'keep' });
  if (!resumed) {
    const entry = { user: { content: 'hello' }, assistant: { content: 'hi' } };
    await client.request('conversation/append', { session, entry });
    rig.write('a.txt', 'first\n');
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'first' });
  }
  const { warnings, others } = await client.request('remote/push', { remote: 'team', session });
  assert.equal([warnings, others], [undefined, []], `after call ${n} the writer is the same`);
  await client.close();
}

/** Checks that the laptop gets all data of the container. */
async function takesOver(
  container: DaemonRig,
  laptop: DaemonRig,
  { remote, session, strategy, where }: { remote: string; session: string; strategy: string; where: string },
): Promise<void> {
  execFileSync('git', ['fsck', '--strict'], { cwd: remote, stdio: 'pipe' });
  const client = await laptop.start();
  await client.request('remote/add', { name: 'team', url: remote });
  const known = (await client.request('session/list', {})).sessions;
  const imported =
    known[0] ??
    (await client.request('session/import', { remote: 'team', session, workspace: laptop.work, strategy }));
  assert.ok(known.length <= 1, where);
  const { conversationId } = imported;
  const opened = await client.request('session/open', {
    workspace: laptop.work,
    ...(conversationId === undefined ? {} : { conversationId }),
    strategy,
    retention: 'keep',
  });
  assert.is(opened.resumed, true, where);
  const there = { session: opened.session };
  assert.is((await client.request('conversation/get', there)).historyLength, 1, where);
  assert.equal((await client.request('store/verify', there)).problems, [], where);
  const { checkpoints } = await client.request('checkpoint/list', there);
  const newest = checkpoints.at(-1);
  await client.request('checkpoint/restore', { ...there, tag: newest?.id ?? '', mode: 'hard' });
  assert.equal(laptop.tree(), container.tree(), where);
  await client.close();
}
