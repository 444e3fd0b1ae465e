// The life cycle and the transport's rules, with real bytes against the real process.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frameOf } from '../support/frames.ts';
import { failureOf, withClient } from '../support/wire-client.ts';

test('initialize answers who and what the daemon is; shutdown and exit end it with 0', () =>
  withClient(async (client) => {
    const hello = await client.initialize({
      capabilities: { checkpointd: { events: ['checkpoint/didCreate', 'nonsense'] } },
    });
    assert.is(hello.serverInfo.name, 'checkpointd');
    assert.match(hello.schemaHash, /^[0-9a-f]{32}$/);
    assert.is(hello.limits.maxInFlight, 64);
    assert.equal(hello.capabilities.checkpointd.events, { names: ['checkpoint/didCreate'] });
    assert.equal(await client.close(), { code: 0, signal: null });
    assert.is(client.stderr, '');
  }));

test('what an editor sends in initialize, and after it to every server, is taken', () =>
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

test('a frame that is no JSON is answered as that, without an id, and the next one is served', () =>
  withClient(async (client) => {
    await client.initialize();
    client.write(frameOf('{"jsonrpc": "2.0", "id": 1,'));
    const { error, id } = await client.next((frame) => frame.error !== undefined);
    assert.equal([error?.code, error?.data?.kind, id], [-32700, 'ParseError', null]);
    await client.request('session/list', {});
    assert.is((await client.close()).code, 0);
  }));

test('large answers of a client that reads late all arrive before the end', () =>
  withClient(async (client) => {
    const discover = Array.from({ length: 20 }, (_, id) => ({
      jsonrpc: '2.0',
      id: `d${id}`,
      method: 'rpc.discover',
    }));
    const end = [
      { jsonrpc: '2.0', id: 'bye', method: 'shutdown' },
      { jsonrpc: '2.0', method: 'exit' },
    ];
    await client.initialize();
    client.process.stdout.pause();
    client.write(Buffer.concat([...discover, ...end].map(frameOf)));
    setTimeout(() => client.process.stdout.resume(), 300);
    assert.is((await client.exit()).code, 0);
    assert.is(client.frames.filter((frame) => frame.result !== undefined).length, 22);
    assert.ok(JSON.stringify(client.frames).length > 1_000_000);
  }));

test('before initialize everything but rpc.discover is refused, a second initialize too', () =>
  withClient(async (client) => {
    const early = await failureOf(client.request('session/list', {}));
    assert.is(early.code, -32002);
    assert.is(early.kind, 'ServerNotInitialized');
    await client.initialize();
    assert.is((await failureOf(client.send('initialize', {}).answer)).code, -32600);
  }));

test('rpc.discover answers the protocol, also before initialize', () =>
  withClient(async (client) => {
    const document = (await client.request('rpc.discover', {})) as { openrpc?: string; methods?: unknown[] };
    assert.is(document.openrpc, '1.4.1');
    assert.ok((document.methods ?? []).length > 40);
    await client.initialize();
  }));

test('after shutdown only exit is accepted', () =>
  withClient(async (client) => {
    await client.initialize();
    await client.request('shutdown', {});
    assert.is((await failureOf(client.request('session/list', {}))).code, -32600);
    assert.is((await failureOf(client.send('shutdown').answer)).code, -32600);
    client.notify('exit');
    assert.is((await client.exit()).code, 0);
  }));

test('exit without shutdown ends with 1, also before initialize', async () => {
  await withClient(async (client) => {
    client.notify('exit');
    assert.is((await client.exit()).code, 1);
  });
  await withClient(async (client) => {
    await client.initialize();
    client.notify('exit');
    assert.is((await client.exit()).code, 1);
  });
});

test('a whole life in one write is answered in full', () =>
  withClient(async (client) => {
    const life = [
      { jsonrpc: '2.0', id: 'a', method: 'initialize', params: {} },
      { jsonrpc: '2.0', method: 'initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'shutdown', params: null },
      { jsonrpc: '2.0', method: 'exit' },
    ];
    client.write(Buffer.concat(life.map(frameOf)));
    assert.is((await client.endInput()).code, 0);
    assert.equal(
      client.frames.map((frame) => frame.id),
      ['a', 'b'],
    );
  }));

for (const [signal, number] of [
  ['SIGTERM', 15],
  ['SIGINT', 2],
  ['SIGHUP', 1],
] as const) {
  test(`${signal} ends the daemon with ${128 + number}`, () =>
    withClient(async (client) => {
      await client.initialize();
      client.process.kill(signal);
      assert.equal(await client.exit(), { code: 128 + number, signal: null });
      assert.is(client.stderr, '');
    }));
}

test('end of input ends the daemon with 1, also in the middle of a frame; after shutdown with 0 (F104)', async () => {
  await withClient(async (client) => {
    await client.initialize();
    assert.is((await client.endInput()).code, 1);
  });
  await withClient(async (client) => {
    await client.initialize();
    client.write('Content-Length: 100\r\n\r\n{"jsonrpc"');
    assert.is((await client.endInput()).code, 1);
  });
  await withClient(async (client) => {
    await client.request('initialize', {});
    await client.request('shutdown', {});
    assert.is((await client.endInput()).code, 0);
  });
});

test.run();
