// Tests daemons that do not see each other: which daemon owns a session, and which daemon may write to a work tree. The
// daemons run in separate network and process namespaces, as in containers. Needs root (unshare) and flock(1) on Linux.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { containerPrefix } from '../../scripts/torture/container.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { daemonEntry, failureOf } from '../support/wire-client.ts';

const canUnshare =
  spawnSync(containerPrefix[0], [...containerPrefix.slice(1), 'flock', '--version']).status === 0;

function inContainer(title: string, body: (rig: DaemonRig) => Promise<void>): void {
  test(title, () =>
    canUnshare ? withRig(body) : Promise.resolve(console.log('skipped: needs unshare and flock')),
  );
}

const command = [...containerPrefix, process.execPath, daemonEntry] as const;

/** Returns the path of a program on PATH. */
function placeOf(name: string): string {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((each) => join(each, name));
  return places.find((place) => existsSync(place)) ?? name;
}

/** Sets the owner's last heartbeat to an hour ago. */
function silence(rig: DaemonRig, session: string): void {
  const file = join(rig.shadow(session), 'checkpointd', 'owner.json');
  const then = new Date(Date.now() - 3_600_000);
  utimesSync(file, then, then);
}

inContainer(
  'if a session is open in another container, it is busy, even if its owner sends no heartbeat for long',
  async (rig) => {
    const { client, session } = await rig.opened({}, { command });
    silence(rig, session);
    const other = await rig.start();
    assert.is((await failureOf(rig.open(other))).kind, 'StoreBusy');
    await client.kill();
    await until('the kernel lets the lock go', async () => {
      const opened = await rig.open(other).catch(() => undefined);
      return opened?.resumed === true;
    });
    await other.close();
  },
);

inContainer('two containers never restore into one work tree at the same time', async (rig) => {
  const holder = spawn('flock', [rig.work, 'sleep', '60']);
  await until('the work tree is locked', () => spawnSync('flock', ['-n', rig.work, 'true']).status === 1);
  const one = await rig.opened({ conversationId: 'one' }, { command });
  const two = await rig.opened({ conversationId: 'two' });
  const names = Array.from({ length: 60 }, (_, index) => `many/${index}`);
  for (const round of ['1', '2']) {
    for (const name of names) rig.write(name, `round ${round}\n`);
    for (const { client, session } of [one, two])
      await client.request('checkpoint/create', { session, kind: 'turn' });
  }
  const busy = one.client.request('checkpoint/restore', { session: one.session, tag: '1', mode: 'hard' });
  assert.is((await failureOf(busy)).kind, 'WorkTreeBusy');
  spawnSync('pkill', ['-P', String(holder.pid)]);
  holder.kill('SIGKILL');
  await until('the work tree is unlocked', () => spawnSync('flock', ['-n', rig.work, 'true']).status === 0);
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([
      one.client.request('checkpoint/restore', { session: one.session, tag: '1', mode: 'hard' }),
      two.client.request('checkpoint/restore', { session: two.session, tag: '2', mode: 'hard' }),
    ]);
    const contents = new Set(names.map((name) => rig.read(name)));
    assert.is(contents.size, 1, 'one state, not a mixture');
  }
  await one.client.close();
  await two.client.close();
});

inContainer(
  'if the session of a stopped owner gets a new owner, the stopped owner writes nothing when it wakes',
  async (rig) => {
    // Without flock(1), only the age of the heartbeat shows a daemon whether the owner is alive.
    const bin = join(rig.top, 'bin');
    mkdirSync(bin);
    for (const name of ['git', 'ls', 'sh', 'unshare']) {
      symlinkSync(placeOf(name), join(bin, name));
    }
    const keep = { retention: 'keep' } as const;
    const first = await rig.opened(keep, { command, env: { ...rig.environment, PATH: bin } });
    assert.match(rig.logText(), /not locked against other containers/);
    const say = (client: typeof first.client, text: string) =>
      client.request('conversation/appendTranscript', { session: first.session, text });
    await say(first.client, 'before');
    const daemon = spawnSync('pgrep', ['-P', String(first.client.process.pid)], {
      encoding: 'utf8',
    }).stdout.trim();
    process.kill(Number(daemon), 'SIGSTOP');
    silence(rig, first.session);
    const second = await rig.start();
    assert.is((await rig.open(second, keep)).resumed, true);
    await say(second, 'taken over');
    process.kill(Number(daemon), 'SIGCONT');
    const late = await failureOf(say(first.client, 'late'));
    assert.is(late.kind, 'StoreUnavailable');
    assert.match(late.message, /took over this session/);
    const create = await failureOf(
      first.client.request('checkpoint/create', { session: first.session, kind: 'turn' }),
    );
    assert.is(create.kind, 'StoreUnavailable');
    await first.client.close();
    await say(second, 'after');
    const owner = JSON.parse(
      readFileSync(join(rig.shadow(first.session), 'checkpointd', 'owner.json'), 'utf8'),
    ) as object;
    assert.is((owner as { released?: boolean }).released, undefined, 'the late one releases nothing');
    await second.close();
    const third = await rig.opened(keep);
    const { lines } = await third.client.request('conversation/transcript', { session: third.session });
    assert.equal(lines, ['before', 'taken over', 'after']);
    await third.client.close();
  },
);

test.run();
