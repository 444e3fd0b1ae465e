// A page can read everything, and make the changes that people make by hand. A page cannot end the daemon or delete
// data.
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { secretPrefix, socketProtocol } from '../../src/inspector/own-methods.ts';
import { git } from '../support/git-oracle.ts';
import { Inspected } from '../support/inspector/inspected.ts';
import { until } from '../support/until.ts';

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: { readonly kind: string };
  };
}

/** Connects like a page in a browser, so that no browser is needed. */
class Page {
  readonly socket: WebSocket;
  readonly heard: Answer[] = [];
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => this.heard.push(JSON.parse(data.toString()) as Answer));
  }

  static async enter(link: string): Promise<Page> {
    const { origin, hash, host } = new URL(link);
    const entered = await fetch(`${origin}/enter`, {
      method: 'POST',
      headers: { origin },
      body: hash.slice(1),
    });
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { secret } = (await entered.json()) as { readonly secret: string };
    const protocols = [socketProtocol, secretPrefix + secret];
    const socket = new WebSocket(`ws://${host}/wire`, protocols, { headers: { origin, cookie } });
    const page = new Page(socket);
    await once(socket, 'open');
    return page;
  }

  async ask(method: string, params: object = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await until(`an answer to ${method}`, () => this.heard.some((each) => each.id === id));
    return this.heard.find((each) => each.id === id) as Answer;
  }
}

const inspected = new Inspected();
let page: Page;
let session = '';

test.before(async () => {
  await inspected.open();
  await inspected.turn('first');
  ({ session } = inspected);
  page = await Page.enter(await inspected.inspect());
});
test.after(async () => {
  page.socket.terminate();
  await inspected.dispose();
});

async function anotherLink(): Promise<string> {
  const { result } = await page.ask('inspector/link');
  return `http://${new URL(page.socket.url).host}/${String(result?.['fragment'])}`;
}

test("the inspector passes read-only requests to the daemon, and returns the daemon's answers", async () => {
  const { result } = await page.ask('checkpoint/list', { session });
  assert.equal(result, await inspected.ask('checkpoint/list', {}));
});

test('the page receives an error of the daemon with its kind', async () => {
  const { error } = await page.ask('checkpoint/get', { session, tag: '99' });
  assert.is(error?.data.kind, 'UnknownCheckpoint');
  const wrong = await page.ask('checkpoint/get', { session, tag: 7 });
  assert.is(wrong.error?.data.kind, 'InvalidParams');
});

test('the page cannot end the daemon, or delete, open or rewrite data', async () => {
  for (const method of [
    'shutdown',
    'exit',
    'initialize',
    'session/close',
    'session/delete',
    'session/open',
    'checkpoint/clean',
    'checkpoint/delete',
    'conversation/clear',
    'conversation/append',
    'conversation/import',
    'conversation/export',
    'rpc.discover',
    'constructor',
    '__proto__',
    'made/up',
  ]) {
    const { error } = await page.ask(method, { session });
    assert.is(error?.data.kind, 'RefusedHere', method);
  }
  const nameless = await page.ask('checkpoint/list');
  assert.is(nameless.error?.data.kind, 'RefusedHere');
});

test('a request of the page for an unknown session fails, and later requests succeed', async () => {
  const { error } = await page.ask('checkpoint/list', { session: 'ses_00000000000000000000000000' });
  assert.is(error?.data.kind, 'RefusedHere');
  assert.ok((await page.ask('session/get', { session })).result);
});

test('on request, the inspector returns its identity and its sessions, and makes new links', async () => {
  assert.is((await page.ask('inspector/hello')).result?.['session'], session);
  const sessions = (await page.ask('inspector/sessions')).result?.['sessions'];
  assert.match(JSON.stringify(sessions), `"session":"${session}"`);
  const second = await Page.enter(await anotherLink());
  assert.ok((await second.ask('session/get', { session })).result);
  second.socket.terminate();
});

test('the page gets events about checkpoints of other clients and changes of the work tree', async () => {
  const id = await inspected.turn('second');
  await until('checkpoint/didCreate arrives', () =>
    page.heard.some(
      ({ method, params }) =>
        method === 'checkpoint/didCreate' && JSON.stringify(params).includes(`"id":"${id}"`),
    ),
  );
  inspected.rig.write('a.txt', 'changed\n');
  await until('worktree/didChange arrives', () =>
    page.heard.some(({ method }) => method === 'worktree/didChange'),
  );
});

test('the page can plan, make and undo a restore', async () => {
  inspected.rig.write('a.txt', 'spoilt\n');
  const plan = await page.ask('checkpoint/restore', { session, tag: '1', dryRun: true });
  assert.equal(plan.result?.['restored'], [{ path: 'a.txt' }]);
  assert.is(inspected.rig.read('a.txt'), 'spoilt\n');
  assert.ok((await page.ask('checkpoint/restore', { session, tag: '1', scope: 'files' })).result);
  assert.is(inspected.rig.read('a.txt'), 'a\n');
  assert.ok((await page.ask('checkpoint/undo', { session })).result);
  assert.is(inspected.rig.read('a.txt'), 'spoilt\n');
});

test('the page can push only to a remote of this storage, and cannot send secrets', async () => {
  const { rig } = inspected;
  const url = join(rig.top, 'remote.git');
  git(rig.top, 'init', '-q', '--bare', url);
  await inspected.client?.request('remote/add', { name: 'team', url, storageDir: rig.storage });
  const listed = await page.ask('remote/list', { via: session, storageDir: '/' });
  assert.match(JSON.stringify(listed.result?.['remotes']), '"name":"team"');
  const secrets = await page.ask('remote/push', { session, remote: 'team', send: ['**'] });
  assert.is(secrets.error?.data.kind, 'RefusedHere');
  for (const method of ['remote/add', 'remote/delete', 'remote/remove'])
    assert.is((await page.ask(method, { session, remote: 'team' })).error?.data.kind, 'RefusedHere', method);
  const { result } = await page.ask('remote/push', { session, remote: 'team' });
  assert.is(result?.['pushed'], true);
});

test('the page can fetch a session of a remote, but can import it only into a work tree that has a session', async () => {
  const { rig } = inspected;
  const there = await page.ask('remote/sessions', { via: session, remote: 'team', storageDir: '/' });
  assert.match(JSON.stringify(there.result?.['lines']), `"session":"${session}"`);
  const fetched = await page.ask('remote/fetch', { via: session, remote: 'team', session });
  assert.equal(fetched.result?.['refused'], []);
  const wanted = { via: session, remote: 'team', session };
  for (const unfit of [{}, { workspace: rig.top }, { workspace: rig.work, allowProtected: true }])
    assert.is((await page.ask('session/import', { ...wanted, ...unfit })).error?.data.kind, 'RefusedHere');
  const { result } = await page.ask('session/import', { ...wanted, workspace: rig.work });
  assert.is(result?.['workspace'], rig.work);
  const listed = await page.ask('checkpoint/list', { session: result?.['session'] });
  assert.match(JSON.stringify(listed.result), '"tag":"1"');
});

test('the WebSocket ends if a message is not JSON-RPC', async () => {
  const rude = await Page.enter(await anotherLink());
  rude.socket.send('no JSON');
  const [code] = (await once(rude.socket, 'close')) as [number];
  assert.is(code, 1007);
});

test('the inspector reports the death of the daemon, and then opens the session again', async () => {
  await inspected.client?.kill();
  await until('inspector/didLose arrives', () =>
    page.heard.some(({ method }) => method === 'inspector/didLose'),
  );
  await until('inspector/didReach arrives', () =>
    page.heard.some(({ method }) => method === 'inspector/didReach'),
  );
  const { result } = await page.ask('checkpoint/list', { session });
  assert.match(JSON.stringify(result), '"tag":"2"');
});

test.run();
