// Tests the limit of a session in a database that several sessions share. wire-limits.test.ts tests every limit on
// every strategy.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

const noise = (seed: number, length: number): string => {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    text += state.toString(36);
  }
  return text;
};

/** Makes a session with one turn for each of these contents of `a.txt`. */
async function turns(
  daemon: InProcessDaemon,
  contents: readonly string[],
  limits = {},
): Promise<{ readonly session: string; readonly root: string }> {
  const root = repository({ 'a.txt': 'base\n', 'same.txt': 'same\n' });
  const { session } = await daemon.open(root, { strategy: 'sqlite', limits });
  for (const content of contents) {
    write(root, { 'a.txt': content });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  return { session, root };
}

const tagsOf = async (daemon: InProcessDaemon, session: string): Promise<(string | undefined)[]> => {
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  return checkpoints.map(({ tag }) => tag);
};

test('limits.maxStoreBytes does not count data of other sessions in the shared database (O29)', async () => {
  const daemon = new InProcessDaemon();
  const large = Array.from({ length: 6 }, (_, n) => noise(100 + n, 400_000));
  const other = await turns(daemon, large);
  const contents = Array.from({ length: 30 }, (_, n) => noise(n, 20_000));
  const { session, root } = await turns(daemon, contents, { maxStoreBytes: 1_000_000 });
  const { bytes } = await daemon.call('store/usage', { session });
  assert.ok(bytes > 1_000_000, `the database is larger: ${bytes}`);
  const report = await daemon.call('store/gc', { session });
  assert.is(report.checkpointsRemoved, 0, 'its own 30 turns fit');
  const { session: small } = await daemon.open(root, {
    strategy: 'sqlite',
    conversationId: 'small',
    limits: { maxStoreBytes: 150_000 },
  });
  for (const content of contents) {
    write(root, { 'a.txt': content });
    await daemon.call('checkpoint/create', { session: small, kind: 'turn' });
  }
  const { checkpointsRemoved } = await daemon.call('store/gc', { session: small });
  assert.ok(checkpointsRemoved >= 10 && checkpointsRemoved < 30, `${checkpointsRemoved} removed`);
  assert.is((await tagsOf(daemon, session)).length, 31, 'no other session loses one');
  assert.is((await tagsOf(daemon, other.session)).length, 7);
  const listed = (await daemon.call('session/list', {})).sessions.map(({ bytes = 0 }) => bytes);
  assert.ok(
    listed.some((each) => each < 300_000) && listed.some((each) => each > 1_000_000),
    listed.join(' '),
  );
  await daemon.close();
});

test.run();
