// What the wire means beyond its form, against a real daemon: a client that dies in the middle of a request, keys that
// outlive a daemon, expectations, and what operation/get tells. The form itself is in protocol/conformance.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OperationGetResult } from '../../src/protocol/types.ts';
import { manifest, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { failureOf, WireClient, type WireOptions } from '../support/wire-client.ts';

interface Rig {
  readonly root: string;
  /** A daemon on this storage, with the session open. */
  connect(): Promise<{ readonly client: WireClient; readonly session: string }>;
  end(): Promise<void>;
}

/** A work tree and a storage that daemons come to and leave. */
function rig(retention: 'keep' | 'session' = 'keep', files?: Record<string, string>): Rig {
  const root = repository(files);
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

const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`many/${i}.txt`, `${i}\n`]));
const entry = { user: { content: 'u' }, assistant: { content: 'a' } };

/** What of the state a killed request could have changed. */
async function stateOf(client: WireClient, session: string, root: string): Promise<unknown> {
  const { checkpoints } = await client.request('checkpoint/list', { session });
  const { historyLength } = await client.request('conversation/get', { session });
  return { files: manifest(root), named: checkpoints.map(({ tag, name }) => [tag, name]), historyLength };
}

const mutations: readonly (readonly [string, object])[] = [
  ['checkpoint/create', { kind: 'turn' }],
  ['checkpoint/restore', { tag: '0', mode: 'hard', confirm: true }],
  ['checkpoint/delete', { tag: '1' }],
  ['checkpoint/rename', { tag: '1', name: 'n' }],
  ['conversation/append', { entry }],
];

/** Editors kill the tree, or close the pipes. */
const moments = [
  ['client', 0],
  ['both', 5],
  ['both', 30],
  ['client', 40],
  ['both', 80],
] as const;

for (const [method, params] of mutations) {
  test(`a client killed in the middle of ${method}, alone or with the daemon, leaves the state before it or after it, and operation/get tells which`, async () => {
    const fates: string[] = [];
    for (const [who, afterMs] of moments) {
      const here = rig('keep', { 'a.txt': 'a\n', ...many });
      try {
        const first = await here.connect();
        const { session } = first;
        write(here.root, { 'many/1.txt': 'changed\n', 'new.txt': 'new\n' });
        await first.client.request('checkpoint/create', { session, kind: 'turn' });
        const before = await stateOf(first.client, session, here.root);
        void first.client
          .send(method, { session, idempotencyKey: 'k', ...params })
          .answer.catch(() => undefined);
        await sleep(afterMs); // a moment of the request's life, whichever it is
        if (who === 'both') await first.client.kill();
        first.client.process.stdin.destroy();
        first.client.process.stdout.destroy();
        await first.client.exit();
        const next = await here.connect();
        assert.is(next.session, session);
        const fate: OperationGetResult = await next.client.request('operation/get', {
          session,
          idempotencyKey: 'k',
        });
        fates.push(fate.state);
        const now = await stateOf(next.client, session, here.root);
        if (fate.state === 'committed')
          assert.not.equal(now, before, `${method}, ${who} after ${afterMs} ms`);
        else assert.equal(now, before, `${method}, ${who} after ${afterMs} ms: ${fate.state}`);
        // Asked again under its key it is done once, whatever happened.
        const again = await next.client.send(method, { session, idempotencyKey: 'k', ...params }).answer;
        assert.is((again as { replayed?: boolean }).replayed ?? false, fate.state === 'committed');
        const after = await stateOf(next.client, session, here.root);
        if (fate.state === 'committed') assert.equal(after, now);
        else assert.not.equal(after, before);
      } finally {
        await here.end();
      }
    }
    console.log(`note: ${method}: ${fates.join(', ')}`);
  });
}

test('keys of open and close outlive the daemon where the session is kept', async () => {
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
    await next.client.request('checkpoint/list', { session }); // the replayed close closed nothing
  } finally {
    await here.end();
  }
});

test('a session is deleted once under its key', async () => {
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

test('a session that is deleted and deleted, or closed, at once is ended once', async () => {
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

test('a repeat is the same request with its fields in another order too, and another one with another value', async () => {
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

test('an expectation that does not hold changes nothing; operation/get tells the refusal', async () => {
  const here = rig('session');
  try {
    const { client, session } = await here.connect();
    write(here.root, { 'a.txt': 'mine\n' });
    const before = manifest(here.root);
    await client.request('checkpoint/create', { session, kind: 'turn' });
    const params = { session, tag: '0', expect: { head: '0' }, idempotencyKey: 'k' };
    const refused = await failureOf(client.request('checkpoint/restore', params));
    assert.equal(
      [refused.kind, refused.data?.effects, refused.data?.retryable],
      ['PreconditionFailed', 'none', false],
    );
    assert.equal(manifest(here.root), before);
    const fate = await client.request('operation/get', { session, idempotencyKey: 'k' });
    assert.equal([fate.state, fate.error?.kind], ['failed', 'PreconditionFailed']);
    assert.is(
      refused.data?.operationId,
      fate.operation,
      'the error names the operation that operation/get knows',
    );
  } finally {
    await here.end();
  }
});

test('warnings reach the client as window/logMessage, before the answer', async () => {
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

test.run();
