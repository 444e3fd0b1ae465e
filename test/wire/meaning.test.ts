// Tests with a real daemon what an idempotency key guarantees, even after a restart, and how a session ends.
// protocol/conformance tests the form of requests. killed-client.long.ts tests clients that die during a request.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { failureOf, WireClient, type WireOptions, withClient } from '../support/wire-client.ts';

interface Rig {
  readonly root: string;
  /** Connects to a daemon on this storage, with the session open. */
  connect(): Promise<{ readonly client: WireClient; readonly session: string }>;
  end(): Promise<void>;
}

/** Makes a work tree and a storage that several daemons use in turn. */
function rig(retention: 'keep' | 'session' = 'keep'): Rig {
  const root = repository();
  const storage = temporaryDirectory('storage');
  const options: WireOptions = { env: { ...process.env, XDG_STATE_HOME: storage }, timeoutMs: 20_000 };
  const clients: WireClient[] = [];
  return {
    root,
    async connect() {
      const client = new WireClient(options);
      clients.push(client);
      await client.initialize();
      const params = { workspace: root, conversationId: 'c', retention } as const;
      const { session } = await client.request('session/open', params);
      return { client, session };
    },
    async end() {
      for (const client of clients) await client.kill();
      assert.equal(
        clients.flatMap(({ violations }) => violations),
        [],
      );
    },
  };
}

test('for a kept session, the next daemon still knows the idempotency keys of session/open and session/close', async () => {
  const here = rig();
  try {
    const { client, session } = await here.connect();
    const open = {
      workspace: here.root,
      conversationId: 'c',
      retention: 'keep',
      idempotencyKey: 'o',
    } as const;
    await client.request('session/open', open);
    await client.request('session/close', { session, idempotencyKey: 'x' });
    assert.ok((await client.request('session/close', { session, idempotencyKey: 'x' })).replayed);
    await client.close();
    const next = await here.connect();
    for (const key of ['o', 'x']) {
      const { state } = await next.client.request('operation/get', { session, idempotencyKey: key });
      assert.is(state, 'committed', key);
    }
    assert.ok((await next.client.request('session/open', open)).replayed);
    const other = next.client.request('session/open', { ...open, exclude: ['x'] });
    assert.is((await failureOf(other)).kind, 'IdempotencyConflict');
    assert.not.ok((await next.client.request('session/close', { session, idempotencyKey: 'x' })).removed);
    // This request works, because the repeated close did not close the session again.
    await next.client.request('checkpoint/list', { session });
  } finally {
    await here.end();
  }
});

test('repeating session/delete with the same key deletes only once', async () => {
  const here = rig();
  try {
    const { client, session } = await here.connect();
    const first = await client.request('session/delete', { session, idempotencyKey: 'd' });
    const second = await client.request('session/delete', { session, idempotencyKey: 'd' });
    assert.equal(second, { ...first, replayed: true });
    assert.is((await failureOf(client.request('session/delete', { session }))).kind, 'UnknownSession');
  } finally {
    await here.end();
  }
});

test('if a client sends two requests to delete or close a session at once, the session ends only once', async () => {
  for (const retention of ['keep', 'session'] as const) {
    for (const other of ['session/delete', 'session/close']) {
      const here = rig(retention);
      try {
        const { client, session } = await here.connect();
        const answers = ['session/delete', other].map((method) => client.send(method, { session }).answer);
        const [first, second] = await Promise.allSettled(answers);
        assert.is(first?.status, 'fulfilled');
        if (second?.status === 'rejected')
          assert.match((second.reason as { kind?: string }).kind ?? '', /^(UnknownSession|StoreBusy)$/);
        await client.request('session/list', {});
      } finally {
        await here.end();
      }
    }
  }
});

test('a repeated request may have its fields in another order, but not other values', async () => {
  const here = rig('session');
  try {
    const { client, session } = await here.connect();
    const first = { session, idempotencyKey: 'k', kind: 'turn', name: 'n', message: 'm' };
    const { checkpoint } = (await client.send('checkpoint/create', first).answer) as { checkpoint: unknown };
    const second = {
      message: 'm',
      name: 'n',
      kind: 'turn',
      workDoneToken: 't',
      idempotencyKey: 'k',
      session,
    };
    const answer = (await client.send('checkpoint/create', second).answer) as Record<string, unknown>;
    assert.equal([answer.replayed, answer.checkpoint], [true, checkpoint]);
    const other = client.send('checkpoint/create', { ...second, message: 'another' }).answer;
    assert.is((await failureOf(other)).kind, 'IdempotencyConflict');
  } finally {
    await here.end();
  }
});

test('the client gets warnings as window/logMessage, before the answer', async () => {
  const client = new WireClient({ env: { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') } });
  try {
    await client.initialize();
    const workspace = repository();
    await client.request('session/open', { workspace, modelInfo: { modelId: 'of an unknown window' } });
    const told = client.frames.findIndex(({ method }) => method === 'window/logMessage');
    assert.ok(told >= 0 && told < client.frames.length - 1);
    const [line] = client.events('window/logMessage');
    assert.is(line?.type, 2);
    assert.match(line?.message ?? '', /window/);
  } finally {
    await client.kill();
  }
});

test('the daemon accepts the messages that an editor sends during and after initialize', () =>
  withClient(async (client) => {
    const params = {
      processId: null,
      clientInfo: { name: 'Neovim', version: '0.10.0' },
      locale: null,
      rootPath: null,
      rootUri: null,
      workspaceFolders: null,
      trace: 'off',
      capabilities: { textDocument: { hover: { dynamicRegistration: true } }, window: {}, checkpointd: null },
      initializationOptions: null,
      workDoneToken: '1',
    };
    await client.send('initialize', params).answer;
    client.notify('initialized', []);
    client.notify('textDocument/didOpen', { textDocument: { uri: 'file:///a', text: 'x'.repeat(1e6) } });
    client.notify('workspace/didChangeConfiguration', { settings: null });
    assert.is((await failureOf(client.send('textDocument/hover', {}).answer)).code, -32601);
    assert.is((await client.close()).code, 0);
  }));

test.run();
