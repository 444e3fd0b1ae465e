// Kills the daemon at the n-th call of the seam during session/delete or the end of a session that is not kept. The
// next opening finds the complete session or makes a new session. An opening never finds half of the old session.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type DaemonRig, faultyEntry } from '../support/daemon-rig.ts';
import { git } from '../support/git-oracle.ts';
import { until } from '../support/until.ts';
import type { WireClient } from '../support/wire-client.ts';

export interface Ending {
  readonly method: 'session/delete' | 'session/close';
  readonly strategy: string;
  /** Matches the calls that the test counts. Without this pattern, the test counts every call. */
  readonly match?: string;
}

/**
 * Ends a session with two checkpoints and a conversation. Returns all calls, or the call at which the daemon
 * was killed.
 */
export async function killedAt(rig: DaemonRig, n: number, ending: Ending): Promise<readonly string[]> {
  const { method, strategy, match = '' } = ending;
  const [arm, count] = [join(rig.top, 'arm'), join(rig.top, 'count')];
  for (const file of [arm, count]) rmSync(file, { force: true });
  const client = await rig.start({
    command: [process.execPath, faultyEntry],
    args: [`--kill=${n}:${arm}:${count}:${match}`],
    graceHours: 24,
  });
  const { session } = await rig.open(client, openingOf(ending));
  rig.write('a.txt', 'one\n');
  await client.request('checkpoint/create', { session, kind: 'turn' });
  const entry = { user: { content: 'hello' }, assistant: { content: 'hi' } };
  await client.request('conversation/append', { session, entry });
  writeFileSync(arm, '');
  const isAnswered = await client.request(method, { session }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && error.name === 'WireFailure') throw error;
      return false;
    },
  );
  if (isAnswered && n === 0)
    assert.is(await listed(client, session), false, `${method} (${strategy}), call ${n}: listed`);
  await client.kill();
  await until('git children end', () => rig.children().length === 0, 5000);
  // The daemon continues to work after it has answered. The number of calls in this later work differs between runs.
  return existsSync(count) ? readFileSync(count, 'utf8').trimEnd().split('\n') : [];
}

/**
 * Opens the session again, and compares it with the two allowed states. Returns the name of the state that the session
 * has.
 */
export async function openedAgain(
  rig: DaemonRig,
  ending: Ending,
  where: string,
): Promise<'before' | 'after'> {
  const client = await rig.start({ graceHours: 24 });
  const { session, resumed } = await rig.open(client, openingOf(ending));
  const { checkpoints } = await client.request('checkpoint/list', { session, kind: 'every' });
  const tags = checkpoints.map(({ tag }) => tag);
  const { historyLength } = await client.request('conversation/get', { session });
  const found = { resumed, tags, historyLength };
  const whole = { resumed: true, tags: ['0', '1'], historyLength: 1 };
  const anew = { resumed: false, tags: ['0'], historyLength: 0 };
  assert.equal(found, resumed ? whole : anew, where);
  assert.equal((await client.request('store/verify', { session })).problems, [], where);
  await client.request('session/delete', { session });
  assert.equal(refs(rig), '', where);
  await client.close();
  return resumed ? 'before' : 'after';
}

/** True when a daemon lists the session. */
export async function listed(client: WireClient, session: string): Promise<boolean> {
  const { sessions } = await client.request('session/list', {});
  return sessions.some((each) => each.session === session);
}

/** Returns the daemon's refs in the user's repository. */
export function refs(rig: DaemonRig): string {
  return git(rig.work, 'for-each-ref', 'refs/checkpointd');
}

function openingOf({ method, strategy }: Ending): { strategy: string; retention: 'keep' | 'session' } {
  return { strategy, retention: method === 'session/delete' ? 'keep' : 'session' };
}
