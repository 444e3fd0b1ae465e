// Ten machines push and fetch at the same time through sshd and https, with separate daemons, homes, storages and
// process name spaces. Meanwhile daemons are killed and connections are cut. Every checkpoint that was reported as
// pushed must reach every other machine with its conversation. The files of a checkpoint must arrive byte for byte,
// except the files in `notSent`.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { DaemonRig } from '../support/daemon-rig.ts';
import {
  type Cutter,
  type GitServer,
  sshdObstacle,
  startCutter,
  startHttps,
  startSshd,
} from '../support/git-servers.ts';
import { bareRepository } from '../support/machines.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { daemonEntry, type WireClient } from '../support/wire-client.ts';

const execute = promisify(execFile);

/** The size of a run. In each round every machine pushes once and fetches once. */
export interface Fleet {
  readonly machines: number;
  readonly rounds: number;
  readonly kills: number;
  readonly cuts: number;
  /**
   * For each machine, the number of checkpoints that all other machines restore. Further checkpoints are compared only
   * by their ids.
   */
  readonly restores: number;
  readonly seed: number;
}

type Fate = 'calm' | 'kill' | 'cut';

/** The counts of a run. */
export interface Tally {
  pushes: number;
  fetches: number;
  kills: number;
  /** The number of cut connections. */
  cuts: number;
  failures: number;
  compared: number;
  restored: number;
}

export async function runFleet(fleet: Fleet): Promise<Tally> {
  const random = randomOf(fleet.seed);
  const servers = [await startHttps(temporaryDirectory('https'))];
  if (sshdObstacle() === undefined) servers.push(await startSshd(temporaryDirectory('sshd')));
  const remote = bareRepository();
  const fates = fatesOf(fleet, random);
  const tally: Tally = { pushes: 0, fetches: 0, kills: 0, cuts: 0, failures: 0, compared: 0, restored: 0 };
  const machines: FleetMachine[] = [];
  try {
    for (let number = 0; number < fleet.machines; number += 1) {
      const server = servers[number % servers.length];
      assert.ok(server !== undefined);
      machines.push(await FleetMachine.make(number, { server, remote, random, tally }));
    }
    const work = async (machine: FleetMachine): Promise<void> => {
      await machine.open();
      for (let round = 0; round < fleet.rounds; round += 1)
        await machine.round(round, [fates.pop() ?? 'calm', fates.pop() ?? 'calm']);
      await machine.finish();
    };
    await Promise.all(machines.map(work));
    execFileSync('git', ['fsck', '--strict'], { cwd: remote, stdio: 'pipe' });
    await Promise.all(machines.map((each) => each.takeAll(machines, fleet.restores)));
    return tally;
  } finally {
    for (const machine of machines) tally.cuts += machine.cutter.cuts;
    await Promise.all(machines.map((machine) => machine.dispose()));
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Returns what happens to each push and each fetch, in random order: nothing, a kill or a cut connection. */
function fatesOf({ machines, rounds, kills, cuts }: Fleet, random: () => number): Fate[] {
  const count = 2 * machines * rounds;
  const fates = Array.from(
    { length: count },
    (_, n): Fate => (n < kills ? 'kill' : n < kills + cuts ? 'cut' : 'calm'),
  );
  for (let at = fates.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [fates[at], fates[other]] = [fates[other] ?? 'calm', fates[at] ?? 'calm'];
  }
  return fates;
}

interface Surroundings {
  readonly server: GitServer;
  readonly remote: string;
  readonly random: () => number;
  readonly tally: Tally;
}

/** The files of a checkpoint, with their hashes. */
type Files = ReadonlyMap<string, string>;

class FleetMachine {
  readonly rig = new DaemonRig();
  readonly cutter: Cutter;
  readonly #number: number;
  readonly #at: Surroundings;
  #client: WireClient | undefined;
  #session = '';
  #said = 0;
  /** The ids under which this machine pushes, from the answers to its pushes. */
  #line = { session: '', writer: '' };
  readonly #made = new Map<string, Files>();
  readonly #answered = new Map<string, Files>();
  #history: unknown;

  private constructor(number: number, at: Surroundings, cutter: Cutter) {
    this.#number = number;
    this.#at = at;
    this.cutter = cutter;
  }

  static async make(number: number, at: Surroundings): Promise<FleetMachine> {
    const machine = new FleetMachine(number, at, await startCutter(at.server.port));
    writeFileSync(join(machine.rig.home, '.gitconfig'), at.server.gitconfig);
    machine.rig.write('.env', `SECRET=${number}\n`);
    return machine;
  }

  async #started(): Promise<WireClient> {
    const client = await this.rig.start({
      command: inOwnNames([process.execPath, daemonEntry]),
      timeoutMs: 300_000,
    });
    await client.request('remote/add', {
      name: 'team',
      url: this.#at.server.url(this.#at.remote, this.cutter.port),
    });
    this.#client = client;
    return client;
  }

  async open(): Promise<WireClient> {
    const client = this.#client ?? (await this.#started());
    const opened = await this.rig.open(client, { conversationId: `talk ${this.#number}`, retention: 'keep' });
    this.#session = opened.session;
    return client;
  }

  /**
   * Makes one turn, and then a push and a fetch. The push and the fetch each have a fate: each runs undisturbed, is
   * killed, or loses its connection.
   */
  async round(round: number, [pushFate, fetchFate]: readonly [Fate, Fate]): Promise<void> {
    const client = this.#client ?? (await this.open());
    const { rig } = this;
    rig.write(`file-${round % 7}.txt`, `${this.#number} ${round}\n`);
    rig.write(`deep/${round % 3}/${round}.bin`, noise(this.#at.random, 200 + ((round * 397) % 5000)));
    const session = this.#session;
    const entry = { user: { content: `round ${round}` }, assistant: { content: `${this.#number}` } };
    await client.request('conversation/append', { session, entry });
    this.#said += 1;
    const { checkpoint } = await client.request('checkpoint/create', {
      session,
      kind: 'turn',
      message: `round ${round}`,
    });
    this.#made.set(checkpoint.id, filesOf(rig.work));
    await this.#push(pushFate);
    await this.#ask(fetchFate, async (asked) => {
      const { refused } = await asked.request('remote/fetch', { remote: 'team' });
      assert.equal(refused, []);
      this.#at.tally.fetches += 1;
    });
  }

  async #push(fate: Fate): Promise<void> {
    const made = [...this.#made];
    await this.#ask(fate, async (client) => {
      const pushed = await client.request('remote/push', { remote: 'team', session: this.#session });
      assert.equal([pushed.others, pushed.warnings], [[], undefined], 'the writer stays the same');
      for (const [id, files] of made) this.#answered.set(id, files);
      this.#line = pushed;
      this.#at.tally.pushes += 1;
    });
  }

  /**
   * Sends a request. `fate` says whether the daemon is killed or the connection is cut during the request. After a
   * kill, the next request starts a new daemon.
   */
  async #ask(fate: Fate, work: (client: WireClient) => Promise<void>): Promise<void> {
    const { tally, random } = this.#at;
    const client = this.#client ?? (await this.open());
    this.cutter.cutAfter = fate === 'cut' ? 200 + Math.floor(random() * 8000) : Number.POSITIVE_INFINITY;
    const asked = work(client).catch((error: unknown) => {
      if (fate === 'calm' || !isExpected(error, fate)) throw error;
      tally.failures += 1;
    });
    asked.catch(() => undefined); // the request may fail before the code below waits for it
    if (fate === 'kill') {
      await new Promise((resolve) => setTimeout(resolve, random() * 900));
      await client.kill();
      tally.kills += 1;
      this.#client = undefined;
    }
    await asked;
    this.cutter.cutAfter = Number.POSITIVE_INFINITY;
  }

  /** Pushes a last time without a fault. Afterwards every checkpoint is reported as pushed. */
  async finish(): Promise<void> {
    await this.#push('calm');
    assert.is(this.#answered.size, this.#made.size);
    const client = this.#client ?? (await this.open());
    this.#history = (await client.request('conversation/history', { session: this.#session })).entries;
    assert.is((this.#history as unknown[]).length, this.#said);
  }

  /** Imports the sessions of all other machines. Compares each checkpoint that was reported as pushed. */
  async takeAll(others: readonly FleetMachine[], restores: number): Promise<void> {
    const client = this.#client ?? (await this.open());
    for (const other of others) {
      if (other === this) continue;
      const workspace = join(this.rig.top, `from-${other.#number}`);
      mkdirSync(workspace);
      writeFileSync(join(workspace, '.env'), 'mine\n');
      const { session: wanted, writer } = other.#line;
      const from = { remote: 'team', session: wanted, writer, workspace };
      const { conversationId } = await client.request('session/import', from);
      const how = { workspace, conversationId, retention: 'keep', init: 'force' } as const;
      const { session } = await client.request('session/open', how);
      const { entries } = await client.request('conversation/history', { session });
      assert.equal(entries, other.#history);
      assert.equal((await client.request('store/verify', { session })).problems, []);
      await this.#compare(client, { session, workspace, other }, restores);
      await client.request('session/close', { session });
    }
  }

  async #compare(
    client: WireClient,
    { session, workspace, other }: { session: string; workspace: string; other: FleetMachine },
    restores: number,
  ): Promise<void> {
    const { tally, random } = this.#at;
    const answered = [...other.#answered];
    for (const [id, files] of answered) {
      const ref = `refs/checkpointd/checkpoints/${id}`;
      // A synchronous call would stop the proxies, which run in this process.
      const there = await execute('git', ['ls-tree', '-r', '-z', ref], { cwd: this.rig.shadow(session) });
      const lines = there.stdout.split('\0').filter(Boolean);
      const found = new Map(lines.map((line) => [line.split('\t')[1] ?? '', line.split(/[ \t]/)[2] ?? '']));
      assert.equal(found, new Map([...files].filter(([path]) => path !== '.env')), id);
      tally.compared += 1;
    }
    for (let n = 0; n < restores; n += 1) {
      const at = n === 0 ? answered.length - 1 : Math.floor(random() * answered.length);
      const [id, files] = answered[at] ?? ['', new Map()];
      await client.request('checkpoint/restore', { session, tag: id, mode: 'hard' });
      const wanted = new Map([...files, ['.env', hashOf(Buffer.from('mine\n'))]]);
      assert.equal(filesOf(workspace), wanted, id);
      tally.restored += 1;
    }
  }

  async dispose(): Promise<void> {
    this.cutter.close();
    await this.rig.dispose();
  }
}

/**
 * Starts a program in its own process and mount name spaces, as in a container. If the kernel does not allow this,
 * starts the program in the name spaces of the test.
 */
function inOwnNames(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  const users = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
  const args = ['--pid', '--mount', '--fork', '--kill-child', '--mount-proc', ...users];
  const isAllowed = spawnSync('unshare', [...args, 'true']).status === 0;
  return isAllowed ? ['unshare', ...args, ...command] : command;
}

function isExpected(error: unknown, fate: Fate): boolean {
  const { data } = error as { readonly data?: { readonly kind?: string } };
  const kind = data?.kind ?? (error as { readonly kind?: string }).kind;
  if (fate === 'kill') return kind === undefined && !(error instanceof assert.Assertion);
  return ['RemoteUnreachable', 'RemoteRefused', 'RemoteCorrupt'].includes(String(kind));
}

function filesOf(root: string): Files {
  const out = execFileSync('find', ['.', '-type', 'f', '-not', '-path', './.git/*', '-print0'], {
    cwd: root,
  });
  const paths = out.toString('utf8').split('\0').filter(Boolean);
  return new Map(paths.map((path) => [path.slice(2), hashOf(readFileSync(join(root, path)))]));
}

/** Returns git's hash of a file. */
function hashOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function noise(random: () => number, bytes: number): string {
  let text = '';
  while (text.length < bytes) text += Math.floor(random() * 2 ** 32).toString(36);
  return text;
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
