// Makes a change with a client's key, kills the daemon at the n-th matching call of the seam, and checks the next
// daemon. The session must have the state before or after the change, and operation/get must report this state. A
// repeated request must make the change only once.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { SessionOpenParams } from '../../src/protocol/types.ts';
import { type DaemonRig, faultyEntry, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import type { WireClient } from '../support/wire-client.ts';

export interface KeyedChange {
  readonly method: string;
  readonly params?: object;
  readonly open?: Partial<SessionOpenParams>;
  /** If false, the work tree is outside a repository, and checkpoints are disabled until a request enables them. */
  readonly repository?: boolean;
  readonly prepare?: (client: WireClient, session: string, rig: DaemonRig) => Promise<void>;
}

const turn = { kind: 'turn' } as const;

async function twoTurns(client: WireClient, session: string, rig: DaemonRig): Promise<void> {
  for (const text of ['one\n', 'two\n']) {
    rig.write('a.txt', text);
    await client.request('checkpoint/create', { session, ...turn });
  }
}

/** Every change whose log record does not contain the key. */
export const keyedChanges: readonly KeyedChange[] = [
  { method: 'checkpoint/init', repository: false },
  {
    method: 'checkpoint/clean',
    repository: false,
    prepare: async (client, session, rig) => {
      await client.request('checkpoint/init', { session });
      await twoTurns(client, session, rig);
    },
  },
  { method: 'checkpoint/clean', prepare: twoTurns },
  { method: 'checkpoint/delete', params: { tag: '1' }, prepare: twoTurns },
  { method: 'checkpoint/rename', params: { tag: '1', name: 'n' }, prepare: twoTurns },
  {
    method: 'store/gc',
    open: { limits: { maxCheckpoints: 2 } },
    prepare: async (client, session, rig) => {
      await twoTurns(client, session, rig);
      await client.request('checkpoint/create', { session, ...turn });
    },
  },
  {
    method: 'ledger/recordWrite',
    params: { path: 'a.txt' },
    prepare: async (client, session, rig) => {
      await twoTurns(client, session, rig);
      rig.write('a.txt', 'by the agent\n');
    },
  },
];

/** Matches each call that writes a record to the session's log. The call has only a descriptor of the log. */
export const recordWritten = '^write \\d+$';

/** A change that can be killed again and again from the same state. */
export class KeyedKills {
  readonly #rig: DaemonRig;
  readonly #change: KeyedChange;
  readonly #before: unknown;
  #after: unknown;

  private constructor(rig: DaemonRig, change: KeyedChange, before: unknown) {
    this.#rig = rig;
    this.#change = change;
    this.#before = before;
  }

  static async with(change: KeyedChange, run: (kills: KeyedKills) => Promise<void>): Promise<void> {
    await withRig(
      async (rig) => {
        const { client, session } = await rig.opened({ ...change.open, retention: 'keep' });
        await change.prepare?.(client, session, rig);
        await client.close();
        rig.copyAside();
        const next = await rig.opened({ ...change.open, retention: 'keep' });
        const kills = new KeyedKills(rig, change, await stateOf(next.client, session));
        await next.client.close();
        await run(kills);
      },
      { repository: change.repository ?? true },
    );
  }

  /**
   * Makes the change without a kill, and ends the daemon after the answer. Returns the number of calls that may change
   * the disk, and the number of these calls that write to the session's log.
   */
  async trace(): Promise<{ readonly changes: number; readonly records: number }> {
    await this.#run(0, 'changes');
    const { client, session } = await this.#reopen();
    assert.is((await client.request('operation/get', { session, idempotencyKey: 'k' })).state, 'committed');
    this.#after = await stateOf(client, session);
    assert.not.equal(this.#after, this.#before, 'the change is to be seen');
    await client.close();
    const calls = readFileSync(join(this.#rig.top, 'count'), 'utf8').trimEnd().split('\n');
    const written = new RegExp(recordWritten);
    const records = calls.filter((call) => written.test(call.replace(/^\d+ /, '')));
    return { changes: calls.length, records: records.length };
  }

  /** Kills at the n-th matching call. Returns the killed call and the result. */
  async kill(n: number, match: string): Promise<string | undefined> {
    const { method, params } = this.#change;
    if (!(await this.#run(n, match))) return undefined;
    const where = readFileSync(join(this.#rig.top, 'count'), 'utf8').trim();
    const { client, session } = await this.#reopen();
    const asked = { session, idempotencyKey: 'k' };
    const { state } = await client.request('operation/get', asked);
    const now = await stateOf(client, session);
    assert.equal(now, state === 'committed' ? this.#after : this.#before, `${where}: ${state}`);
    if (state === 'committed' || JSON.stringify(this.#after) !== JSON.stringify(now)) {
      const again = (await client.send(method, { ...asked, ...params }).answer) as { replayed?: boolean };
      assert.is(again.replayed ?? false, state === 'committed', where);
      await client.close();
      const last = await this.#reopen();
      assert.equal(await stateOf(last.client, session), this.#after, `${where}: asked again`);
      await last.client.close();
    } else await client.close();
    return `${where}: ${state}`;
  }

  /** True when the daemon was killed before its answer. */
  async #run(n: number, match: string): Promise<boolean> {
    const { top } = this.#rig;
    this.#rig.copyBack();
    const [arm, count] = [join(top, 'arm'), join(top, 'count')];
    for (const file of [arm, count]) rmSync(file, { force: true });
    const { client, session } = await this.#rig.opened(
      { ...this.#change.open, retention: 'keep' },
      { command: [process.execPath, faultyEntry], args: [`--kill=${n}:${arm}:${count}:${match}`] },
    );
    writeFileSync(arm, '');
    const { method, params } = this.#change;
    const answered = await client.send(method, { session, idempotencyKey: 'k', ...params }).answer.then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WireFailure') throw error;
        return false;
      },
    );
    await client.kill();
    await until('git children end', () => this.#rig.children().length === 0, 5000);
    return !answered;
  }

  async #reopen(): Promise<{ readonly client: WireClient; readonly session: string }> {
    return this.#rig.opened({ ...this.#change.open, retention: 'keep' });
  }
}

/** Returns the data of a session that these changes can affect. */
async function stateOf(client: WireClient, session: string): Promise<unknown> {
  const { checkpoints } = await client.request('session/get', { session });
  if (!checkpoints.enabled) return 'disabled';
  const list = await client.request('checkpoint/list', { session, kind: 'every' });
  const { entries } = await client.request('ledger/history', { session, path: 'a.txt' });
  return {
    checkpoints: list.checkpoints.map(({ tag, name, kind }) => [tag, name, kind]),
    authors: entries.map(({ author }) => author),
  };
}
