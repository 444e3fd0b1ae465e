// Tests several clients with one session. Each client gets every event once, with the name of the client that caused
// it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdClient } from '../../src/client/client.ts';
import { withRig } from '../support/daemon-rig.ts';
import { undeclaredIn } from '../support/declarations.ts';
import { until } from '../support/until.ts';

const events = [
  'session/didOpen',
  'checkpoint/didCreate',
  'checkpoint/didRestore',
  'checkpoint/didFail',
  'conversation/didChange',
] as const;

test('two clients and a command line get each event once, with the name of the client that caused it', () =>
  withRig(async (rig) => {
    const first = await rig.start({});
    const { session } = await rig.open(first, { retention: 'keep' });
    const owner = JSON.parse(
      readFileSync(join(rig.shadow(session), 'checkpointd', 'owner.json'), 'utf8'),
    ) as { socket: string };
    const told: Record<string, [string, string, unknown][]> = { one: [], two: [] };
    const undeclared: string[] = [];
    const clients = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const client = await CheckpointdClient.attach(owner.socket, {
          clientInfo: { name, version: '7' },
          events,
        });
        for (const event of events)
          client.on(event, (params) => {
            undeclared.push(...undeclaredIn({ method: event, params }, undefined));
            const { origin } = params;
            told[name]?.push([event, origin === undefined ? 'own' : 'foreign', origin?.client?.name]);
          });
        await client.request('session/open', { workspace: rig.work, conversationId: 'conversation' });
        return client;
      }),
    );
    const [one, two] = clients;
    if (one === undefined || two === undefined) throw new Error('no clients');
    rig.write('a.txt', 'two\n');
    await one.request('checkpoint/create', { session, kind: 'turn', message: 'by one' });
    await two.request('conversation/append', {
      session,
      entry: { user: { content: 'x' }, assistant: { content: 'y' } },
    });
    await two.request('checkpoint/restore', { session, tag: 'nowhere' }).catch(() => undefined);
    const restore = await rig.command('restore', '0', '--yes');
    assert.is(restore.code, 0, restore.stderr);
    await first.request('checkpoint/create', { session, kind: 'turn', message: 'by the first' });
    await until('all events arrive', () => Object.values(told).every((list) => list.length >= 5));
    const from = (name: string, by: string): [string, unknown] =>
      name === by ? ['own', undefined] : ['foreign', by];
    const seen = (name: string): [string, string, unknown][] => [
      ['checkpoint/didCreate', ...from(name, 'one')],
      ['conversation/didChange', ...from(name, 'two')],
      ['checkpoint/didFail', ...from(name, 'two')],
      ['checkpoint/didRestore', 'foreign', 'checkpointd'],
      ['checkpoint/didCreate', 'foreign', undefined],
    ];
    for (const name of ['one', 'two']) assert.equal(told[name], seen(name), name);
    assert.equal(undeclared, []);
    for (const client of clients) await client.close();
    await first.close();
  }));

test('the event that a session was opened, or that a context window is full, says which client caused it', () =>
  withRig(async (rig) => {
    const first = await rig.start({});
    const { session } = await rig.open(first, { retention: 'keep' });
    const { socket } = JSON.parse(
      readFileSync(join(rig.shadow(session), 'checkpointd', 'owner.json'), 'utf8'),
    ) as { socket: string };
    const told: [string, unknown][] = [];
    const undeclared: string[] = [];
    const names = ['session/didOpen', 'conversation/didFillWindow'] as const;
    const [hears, acts] = await Promise.all(
      ['hears', 'acts'].map((name) =>
        CheckpointdClient.attach(socket, { clientInfo: { name, version: '7' }, events: names }),
      ),
    );
    if (hears === undefined || acts === undefined) throw new Error('no clients');
    for (const event of names)
      hears.on(event, (params) => {
        undeclared.push(...undeclaredIn({ method: event, params }, undefined));
        told.push([event, params.origin]);
      });
    const opened = await acts.request('session/open', {
      workspace: rig.work,
      conversationId: 'another',
      modelInfo: { modelId: 'm', contextWindowTokens: 10 },
    });
    await acts.request('conversation/append', {
      session: opened.session,
      entry: { user: { content: 'x'.repeat(50) }, assistant: { content: 'y' } },
    });
    await until('both events arrive', () => told.length >= 2);
    const origin = { client: { name: 'acts', version: '7' } };
    assert.equal(told, [
      ['session/didOpen', origin],
      ['conversation/didFillWindow', origin],
    ]);
    assert.equal(undeclared, []);
    for (const client of [acts, hears]) await client.close();
    await first.close();
  }));

test.run();
