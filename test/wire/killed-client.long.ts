// Kills a client in the middle of each change that has an idempotency key. The next client finds the session as it was
// before or after the change, and operation/get says which of the two is true. Repeating the request with the same key
// makes the change only once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { protocol } from '../protocol/document.ts';
import { WireFailure } from '../support/frames.ts';
import { manifest, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { WireClient } from '../support/wire-client.ts';

type Request = readonly [method: string, params?: object];

interface Change {
  readonly params?: object;
  readonly before?: readonly Request[];
  readonly limits?: object;
}

const restore: Request = ['checkpoint/restore', { tag: '0', mode: 'hard', confirm: true }];

/** The parameters of each method that makes a change. The session has two turns and three entries. */
const changes: Readonly<Record<string, Change>> = {
  'checkpoint/create': { params: { kind: 'turn' } },
  'checkpoint/restore': { params: restore[1] ?? {} },
  'checkpoint/revert': { params: { tag: '2' } },
  'checkpoint/undo': { before: [restore] },
  'checkpoint/redo': { before: [restore, ['checkpoint/undo']] },
  'checkpoint/delete': { params: { tag: '1' } },
  'checkpoint/rename': { params: { tag: '1', name: 'n' } },
  'checkpoint/clean': {},
  'conversation/append': { params: { entry: { user: { content: 'u' }, assistant: { content: 'a' } } } },
  'conversation/appendTranscript': { params: { text: 'text' } },
  'conversation/setNextMessage': { params: { message: { content: 'next' } } },
  'conversation/clear': {},
  'conversation/setValidRange': { params: { range: { start: 1, end: 3 } } },
  'conversation/compact': { params: { summary: 's' } },
  'conversation/forget': { params: { messages: 1 } },
  'conversation/enterTangent': { params: { files: true } },
  'conversation/exitTangent': { before: [['conversation/enterTangent', { files: true }]] },
  'conversation/addContext': { params: { paths: ['a.txt'] } },
  'conversation/removeContext': {
    params: { paths: ['a.txt'] },
    before: [['conversation/addContext', { paths: ['a.txt'] }]],
  },
  'conversation/setModel': { params: { modelInfo: { modelId: 'm', contextWindowTokens: 1000 } } },
  'conversation/setMcpEnabled': { params: { mcpEnabled: false } },
  'ledger/recordWrite': { params: { path: 'a.txt' } },
  'store/gc': { limits: { maxCheckpoints: 1 } },
};
/**
 * Methods that another test covers, or that resemble a method above. For some of these methods, the key belongs to no
 * open session, or the parameters are documents.
 */
const elsewhere = [
  'session/open', // meaning.test.ts
  'session/close',
  'session/delete',
  'checkpoint/init', // tested in keyed-kills.test.ts; here the next session/open enables checkpoints in any case
  'conversation/setTools', // has the same record and code as setModel
  'conversation/setAgents',
  'conversation/recordLines',
  'conversation/import',
  'remote/push', // scenarios/travel-killed.ts
  'remote/fetch',
  'session/import',
  'remote/add', // only writes a new list of remotes and renames it to the path of the old list
  'remote/remove',
  'remote/delete', // changes the remote but not the session
];

async function stateOf(client: WireClient, session: string, root: string): Promise<unknown> {
  const { checkpoints } = await client.request('checkpoint/list', { session, kind: 'all' });
  const { document } = await client.request('conversation/export', { session });
  const { entries } = await client.request('ledger/history', { session, path: 'a.txt' });
  const tags = checkpoints.map(({ tag, name }) => [tag, name]);
  return { files: manifest(root), tags, document, authors: entries.map(({ author }) => author) };
}

/** Opens the session as soon as the daemon of the killed client has closed it. */
async function openAfter(client: WireClient, open: object): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    try {
      return ((await client.send('session/open', open).answer) as { session: string }).session;
    } catch (error) {
      if (!(error instanceof WireFailure) || error.kind !== 'StoreBusy' || tries > 1000) throw error;
      await sleep(20);
    }
  }
}

async function killed(
  method: string,
  { params, before = [], limits }: Change,
  afterMs: number,
): Promise<string> {
  const root = repository({ 'a.txt': 'a\n' });
  const env = { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') };
  const open = { workspace: root, conversationId: 'c', retention: 'keep', ...(limits && { limits }) };
  const clients: WireClient[] = [];
  const start = async (): Promise<readonly [WireClient, string]> => {
    const client = new WireClient({ env });
    clients.push(client);
    await client.initialize();
    return [client, await openAfter(client, open)];
  };
  try {
    const [first, session] = await start();
    for (const text of ['one\n', 'two\n']) {
      write(root, { 'a.txt': text });
      const entry = { user: { content: text }, assistant: { content: text } };
      await first.send('conversation/append', { session, entry }).answer;
      await first.send('checkpoint/create', { session, kind: 'turn' }).answer;
    }
    const last = { user: { content: 'last' }, assistant: { content: 'last' } };
    await first.send('conversation/append', { session, entry: last }).answer;
    for (const [name, more] of before) await first.send(name, { session, ...more }).answer;
    write(root, { 'a.txt': 'three\n' });
    const was = await stateOf(first, session, root);
    assert.is((await first.close()).code, 0);
    const program = fileURLToPath(new URL('../support/programs/killed-client.js', import.meta.url));
    const asked = { idempotencyKey: 'k', ...params };
    const child = spawn(process.execPath, [program, JSON.stringify(open), method, JSON.stringify(asked)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    await sleep(afterMs); // at a random moment while the request runs
    child.kill('SIGKILL');
    await exited;
    const [next] = await start();
    const fate = await next.request('operation/get', { session, idempotencyKey: 'k' });
    const now = await stateOf(next, session, root);
    if (fate.state !== 'committed') assert.equal(now, was, `${fate.state} after ${afterMs} ms`);
    const again = (await next.send(method, { session, ...asked }).answer) as { replayed?: boolean };
    assert.is(again.replayed ?? false, fate.state === 'committed', `${fate.state} after ${afterMs} ms`);
    if (fate.state === 'committed') assert.equal(await stateOf(next, session, root), now);
    return fate.state;
  } finally {
    for (const client of clients) await client.kill();
    assert.equal(
      clients.flatMap(({ violations }) => violations),
      [],
    );
  }
}

test('every method that accepts an idempotencyKey is tested with a kill, in this file or in a test that this file names', () => {
  const keyed = protocol.methods.filter(({ idempotency }) => idempotency === 'key').map(({ name }) => name);
  assert.equal([...Object.keys(changes), ...elsewhere].sort(), keyed.sort());
});

for (const [method, change] of Object.entries(changes)) {
  test(`after a kill of the client during ${method}, operation/get says whether the change was made`, async () => {
    const fates: string[] = [];
    for (const afterMs of [0, 30]) fates.push(await killed(method, change, afterMs));
    console.log(`note: ${method}: ${fates.join(', ')}`);
  });
}

test.run();
