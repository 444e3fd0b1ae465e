// After SIGKILL every answered change still exists. One test compares all fields of a realistic session. Another test
// kills a daemon during changes.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { manifest } from '../support/in-process-daemon.ts';
import { makePlaces, WireSession, withSession } from '../support/wire-session.ts';

interface State {
  readonly document: Record<string, unknown>;
  readonly get: unknown;
  readonly entries: unknown;
  readonly transcript: readonly string[];
  readonly checkpoints: unknown;
  readonly manager: unknown;
  readonly files: Record<string, string>;
}

async function stateOf(rig: WireSession): Promise<State> {
  const { fileStatsCache: _cache, ...manager } = (await rig.request('session/get', {})).manager;
  const { checkpoints } = await rig.request('checkpoint/list', { limit: 1000 });
  return {
    document: await rig.document(),
    get: await rig.request('conversation/get', {}),
    entries: (await rig.request('conversation/history', { limit: 1000 })).entries,
    transcript: (await rig.request('conversation/transcript', { limit: 1000 })).lines,
    checkpoints,
    manager,
    files: manifest(rig.places.workTree),
  };
}

/** Makes 40 turns with five tool calls each, two tangents (one with files), a compaction and three restores. */
async function live(rig: WireSession): Promise<void> {
  await rig.request('conversation/setModel', { modelInfo: { modelId: 'm', contextWindowTokens: 128_000 } });
  await rig.request('conversation/setTools', { tools: { Builtin: [{ name: 'fs_write' }] } });
  await rig.request('conversation/addContext', { paths: ['a.txt', 'src/*.ts'] });
  for (let turn = 1; turn <= 40; turn += 1) {
    await rig.request('conversation/setNextMessage', { message: { content: `turn ${turn}\nplease` } });
    await rig.request('checkpoint/create', { kind: 'turn' });
    for (let call = 1; call <= 5; call += 1) {
      const toolResults = call === 1 ? [] : [{ toolUseId: `t${turn}.${call - 1}`, content: 'done' }];
      const content = call === 1 ? `turn ${turn}\nplease` : '';
      await rig.request('conversation/append', {
        entry: {
          user: toolResults.length === 0 ? { content } : { content, toolResults },
          assistant: { content: `step ${call}`, toolUses: [{ id: `t${turn}.${call}`, name: 'fs_write' }] },
          requestMetadata: { requestId: `r${turn}.${call}`, responseSize: 9 },
        },
      });
      rig.write(`src/f${call}.ts`, `export const at = '${turn}.${call}';\n`);
      const path = `src/f${call}.ts`;
      await rig.request('conversation/recordLines', { path, operation: 'create' });
      if (call === 3 || turn % 10 === 0) await rig.request('checkpoint/create', { kind: 'tool' });
    }
    const end = {
      user: { content: '', toolResults: [{ toolUseId: `t${turn}.5` }] },
      assistant: { content: 'ok' },
    };
    await rig.request('conversation/append', { entry: end });
    if (turn === 8 || turn === 16) {
      await rig.request('conversation/enterTangent', { files: turn === 16 });
      rig.write('aside.txt', `${turn}`);
      await rig.append('aside');
      const { exited } = await rig.request('conversation/exitTangent', { keepTail: turn === 8 });
      assert.ok(exited);
    }
    if (turn === 20) await rig.request('conversation/compact', { summary: 'so far', keep: 6 });
    if (turn === 12) await rig.request('checkpoint/restore', { tag: '11.1', mode: 'hard' });
    if (turn === 24) await rig.request('checkpoint/restore', { tag: '23', scope: 'conversation' });
    if (turn === 36) await rig.request('checkpoint/restore', { tag: '35', scope: 'files' });
  }
  await rig.request('conversation/appendTranscript', { text: 'Error: the end' });
  await rig.request('conversation/setNextMessage', { message: { content: 'to be sent' }, lock: true });
}

test('a kill and a resume, or an export and an import, change no field of a realistic session (C8, C36)', async () => {
  const places = makePlaces();
  const rig = new WireSession(places, { timeoutMs: 60_000 });
  let before: State;
  try {
    await rig.open();
    await live(rig);
    await rig.request('conversation/export', { path: join(places.storage, '..', 'export.json') });
    before = await stateOf(rig);
  } finally {
    await rig.client.kill();
  }
  assert.is((before.get as { historyLength: number }).historyLength > 200, true);
  await withSession(
    async (next) => {
      assert.ok(next.opened.resumed);
      const after = await stateOf(next);
      for (const field of Object.keys(before) as (keyof State)[])
        assert.equal(after[field], before[field], field);
      for (const field of Object.keys(before.document))
        assert.equal(after.document[field], before.document[field], field);
      await next.request('conversation/clear', {});
      await next.request('conversation/import', { path: join(places.storage, '..', 'export.json') });
      assert.equal(await next.document(), before.document, 'the export brings it back as well');
    },
    { places },
  );
});

test('a kill loses no acknowledged change, and keeps at most one change that was not acknowledged (C8)', async () => {
  for (const afterMs of [30, 90]) {
    const places = makePlaces();
    const rig = new WireSession(places);
    const answered: string[] = [];
    try {
      await rig.open();
      setTimeout(() => rig.client.process.kill('SIGKILL'), afterMs);
      for (let n = 0; ; n += 1) {
        const isAnswered = await rig.append(`${n}`).then(
          () => true,
          () => false,
        );
        if (!isAnswered) break;
        answered.push(`${n}`);
      }
      assert.is((await rig.client.exit()).signal, 'SIGKILL');
    } finally {
      await rig.client.kill();
    }
    await withSession(
      async (next) => {
        const { historyLength } = await next.request('conversation/get', {});
        const texts = (await next.said()).slice(0, answered.length);
        assert.equal(texts, answered.slice(0, 1000));
        assert.ok(historyLength === answered.length || historyLength === answered.length + 1);
      },
      { places },
    );
  }
});

test.run();
