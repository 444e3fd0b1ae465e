// Tests on every strategy that the daemon enforces the limits of a session even if no client calls store/gc.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';
import { until } from '../support/until.ts';

const names = Object.keys(strategies);

/** Returns a text that cannot be compressed. Each turn has a different text. */
function noise(turn: number, length: number): string {
  let state = turn + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += state.toString(36);
  }
  return text;
}

interface Turns {
  readonly session: string;
  readonly root: string;
  readonly warnings: readonly string[];
  readonly tags: () => Promise<(string | undefined)[]>;
}

async function turns(
  daemon: InProcessDaemon,
  strategy: string,
  contents: readonly string[],
  limits: object,
): Promise<Turns> {
  const root = repository({ 'a.txt': 'base\n' });
  const { session, warnings = [] } = await daemon.open(root, { strategy, limits });
  for (const content of contents) {
    write(root, { 'a.txt': content });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  const tags = async (): Promise<(string | undefined)[]> => {
    const { checkpoints } = await daemon.call('checkpoint/list', { session });
    return checkpoints.map(({ tag }) => tag);
  };
  return { session, root, warnings, tags };
}

/** Runs a body for all strategies at the same time, because each run spends most of its time waiting for the daemon. */
async function withDaemon(body: (daemon: InProcessDaemon, strategy: string) => Promise<void>): Promise<void> {
  const daemon = new InProcessDaemon();
  // Keeps the process of the test alive. A daemon inside the process does not keep the process alive.
  const pipe = setInterval(() => undefined, 60_000);
  try {
    await Promise.all(names.map((strategy) => body(daemon, strategy)));
  } finally {
    clearInterval(pipe);
    await daemon.close();
  }
}

const six = [1, 2, 3, 4, 5, 6].map((n) => `turn ${n}\n`);

/** Keeps four checkpoints, among which are a restore and a named checkpoint. */
async function keepsFour(daemon: InProcessDaemon, strategy: string): Promise<void> {
  const { session, tags } = await turns(daemon, strategy, six.slice(0, 3), { maxCheckpoints: 4 });
  await daemon.call('checkpoint/rename', { session, tag: '1', name: 'kept' });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  for (let extra = 0; extra < 3; extra += 1)
    await daemon.call('checkpoint/create', { session, kind: 'tool' });
  await until(`${strategy}: four are listed`, async () => (await tags()).length === 4, 55_000);
  const left = await tags();
  assert.ok(left.includes('0') && left.includes('1'), `${strategy}: ${left.join()}`);
}

async function keepsTwo(daemon: InProcessDaemon, strategy: string): Promise<void> {
  const { tags, warnings } = await turns(daemon, strategy, six, { maxCheckpoints: 1 });
  assert.match(warnings.join(), /maxCheckpoints is 1 and acts as 2/);
  await until(`${strategy}: two are left`, async () => (await tags()).length <= 2, 55_000);
  assert.equal(await tags(), ['0', '6'], strategy);
}

async function fits(daemon: InProcessDaemon, strategy: string): Promise<void> {
  const contents = Array.from({ length: 25 }, (_, n) => noise(n, 60_000));
  const { session, tags } = await turns(daemon, strategy, contents, { maxStoreBytes: 700_000 });
  // A shared database does not shrink when a single session loses checkpoints.
  const isSmall = async (): Promise<boolean> =>
    strategy === 'sqlite'
      ? (await tags()).length < 20
      : (await daemon.call('store/usage', { session })).bytes <= 700_000;
  await until(`${strategy}: the store fits`, isSmall, 55_000);
  const left = await tags();
  assert.equal([left[0], left.at(-1)], ['0', '25'], strategy);
  assert.ok(left.length < 26, left.join());
}

async function reportsNamed(daemon: InProcessDaemon, strategy: string): Promise<void> {
  const { session, root, tags } = await turns(daemon, strategy, [], { maxStoreBytes: 150_000 });
  for (let turn = 1; turn <= 8; turn += 1) {
    write(root, { 'a.txt': noise(turn, 60_000) });
    await daemon.call('checkpoint/create', { session, kind: 'turn', name: `n${turn}` });
  }
  const text = /more than limits\.maxStoreBytes \(150000\).*named checkpoints/;
  const reports = (): number => daemon.logged.filter(({ message }) => text.test(message)).length;
  await until(
    `${strategy}: the warning is logged for every session`,
    () => reports() >= names.length,
    55_000,
  );
  const next = (): Promise<{ readonly warnings?: readonly string[] | undefined }> =>
    daemon.call('conversation/setMcpEnabled', { session, mcpEnabled: true });
  assert.match(((await next()).warnings ?? []).join(), text, strategy);
  assert.is((await next()).warnings, undefined, strategy);
  assert.is((await tags()).length, 9, strategy);
}

// This is a single test, so that all sessions wait at the same time.
test('maxCheckpoints and maxStoreBytes are enforced within a minute; named checkpoints over a limit are reported (O29)', () =>
  withDaemon(async (daemon, strategy) => {
    const cases = [keepsFour, keepsTwo, fits, reportsNamed];
    await Promise.all(cases.map((each) => each(daemon, strategy)));
  }));

test.run();
