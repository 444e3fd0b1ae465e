// Sends every kind of invalid value in every parameter of every request to one daemon (F107). Each request must be
// refused with the place of the value, and change nothing.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WireFailure } from '../support/frames.ts';
import { manifest, repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { type WireClient, withClient } from '../support/wire-client.ts';
import { type BadRequest, badRequests } from './bad-values.ts';
import { protocol } from './document.ts';

const requests = protocol.methods.filter(
  ({ kind, direction }) => kind === 'request' && direction !== 'serverToClient',
);
const inFlight = 50;
/** The number of parameters that get a text of ten million characters. Sending one such text takes 0.3 s. */
const longTexts = Number(process.env['RUNS'] ?? 5);

/** Returns the reasons why an answer is not the expected refusal. */
async function fault(client: WireClient, { method, params, path, what }: BadRequest): Promise<string[]> {
  const where = `${method} ${path} ${what}`;
  const answer = await client.send(method, params).answer.catch((error: unknown) => error);
  if (!(answer instanceof WireFailure)) return [`${where}: ${String(answer)}`];
  const { code, kind, data } = answer;
  const isRight =
    code === -32602 &&
    kind === 'InvalidParams' &&
    data?.effects === 'none' &&
    !data.retryable &&
    data.issues?.length === 1 &&
    data.issues[0]?.path === path;
  return isRight ? [] : [`${where}: ${answer.message} ${JSON.stringify(data)}`];
}

async function faults(client: WireClient, bad: readonly BadRequest[]): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < bad.length; from += inFlight)
    found.push(
      ...(
        await Promise.all(bad.slice(from, from + inFlight).map((request) => fault(client, request)))
      ).flat(),
    );
  return found;
}

async function stateOf(client: WireClient, session: string, root: string): Promise<unknown> {
  const {
    queue: _queue,
    watcher: _watcher,
    cache: _cache,
    ...kept
  } = await client.request('session/get', {
    session,
  });
  return {
    kept,
    files: manifest(root),
    sessions: (await client.request('session/list', {})).sessions.length,
    checkpoints: (await client.request('checkpoint/list', { session, kind: 'every' })).checkpoints,
    conversation: (await client.request('conversation/export', { session })).document,
    ledger: (await client.request('ledger/history', { session, path: 'a.txt' })).entries,
  };
}

test('for each parameter, the daemon refuses an invalid value, names its place, and changes nothing (F107)', () =>
  withClient(
    async (client) => {
      const starting = requests.filter(({ name }) => name === 'initialize');
      assert.equal(
        await faults(
          client,
          starting.flatMap((method) => badRequests(method, '')),
        ),
        [],
      );
      await client.initialize();
      const root = repository({ 'a.txt': 'a\n' });
      const { session } = await client.request('session/open', { workspace: root });
      await client.request('checkpoint/create', { session, kind: 'turn' });
      const before = await stateOf(client, session, root);
      const bad = requests
        .filter((method) => !starting.includes(method))
        .flatMap((method) => badRequests(method, session));
      console.log(
        `note: ${bad.length} bad requests of ${new Set(bad.map(({ method }) => method)).size} methods`,
      );
      assert.ok(bad.length > 1500);
      assert.equal(await faults(client, bad), []);
      assert.equal(await stateOf(client, session, root), before);
    },
    { env: { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') } },
  ));

test('a text with NUL or ten million characters is stored unchanged or refused, and never crashes the daemon (F107)', () =>
  withClient(
    async (client) => {
      await client.initialize();
      const root = repository({ 'a.txt': 'a\n' });
      const { session } = await client.request('session/open', { workspace: root });
      const kinds = new Set<string | undefined>();
      const defects: string[] = [];
      const texts = requests
        .filter(
          ({ name }) => !/^(initialize|shutdown|session\/(open|close|delete)|checkpoint\/clean)$/.test(name),
        )
        .flatMap((method) => badRequests(method, session))
        .filter(({ what }) => what === 'a lone surrogate');
      assert.ok(texts.length > 100);
      const long = 'y'.repeat(10_000_000);
      const longEvery = Math.ceil(texts.length / longTexts);
      for (const [at, { method, params }] of texts.entries()) {
        // Puts NUL into every parameter.
        for (const text of at % longEvery === 0 ? ['x\0', long] : ['x\0']) {
          const filled = JSON.parse(
            JSON.stringify(params).replace('"x\\ud83d"', JSON.stringify(text)),
          ) as unknown;
          const answer = await client.send(method, filled).answer.catch((error: unknown) => error);
          if (!(answer instanceof WireFailure)) continue;
          kinds.add(answer.kind);
          if (/^(InternalError|ParseError)$/.test(answer.kind ?? ''))
            defects.push(`${method}: ${answer.message}`);
        }
      }
      assert.equal(defects, []);
      console.log(`note: ${texts.length} texts; refused as ${[...kinds].join(', ')}`);
      assert.equal(manifest(root)['a.txt'], manifest(repository({ 'a.txt': 'a\n' }))['a.txt']);
    },
    { env: { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') } },
  ));

test.run();
