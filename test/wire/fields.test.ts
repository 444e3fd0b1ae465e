// Tests fields that no other test uses. scripts/sent-fields.ts fails if the protocol declares a field that no test
// sends.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProtocolDocument } from '../../scripts/generate/dialect.ts';
import { declared, neverSeen, walk } from '../../scripts/sent-fields.ts';
import type { ProgressParams } from '../../src/protocol/types.ts';
import { asNobody, withRig } from '../support/daemon-rig.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { makePlaces, WireSession, withSession } from '../support/wire-session.ts';

test('for every method, the answer to a repeated idempotencyKey is marked as a repetition', () =>
  withSession(async (rig) => {
    await rig.append('one');
    await rig.append('two');
    const { document } = await rig.request('conversation/export', {});
    const calls: readonly (readonly [string, object])[] = [
      ['checkpoint/init', {}],
      ['checkpoint/create', { kind: 'turn' }],
      ['checkpoint/rename', { tag: '1', name: 'n' }],
      ['checkpoint/restore', { tag: '1', scope: 'files' }],
      ['checkpoint/delete', { tag: '1' }],
      ['conversation/appendTranscript', { text: 'a line' }],
      ['conversation/setValidRange', { range: { start: 0, end: 1 } }],
      ['conversation/setNextMessage', { message: { content: 'next' } }],
      ['conversation/setTools', { tools: { Builtin: [{ name: 'fs_read' }] } }],
      ['conversation/setAgents', { agents: {} }],
      ['conversation/setMcpEnabled', { mcpEnabled: false }],
      ['conversation/addContext', { paths: ['a.txt'] }],
      ['conversation/removeContext', { paths: ['a.txt'] }],
      ['conversation/recordLines', { path: 'a.txt', operation: 'create', linesBefore: 0, linesAfter: 1 }],
      ['conversation/forget', { messages: 1 }],
      ['conversation/compact', { summary: 'in short' }],
      ['conversation/enterTangent', {}],
      ['conversation/exitTangent', {}],
      ['conversation/import', { document }],
      ['conversation/clear', {}],
      ['ledger/recordWrite', { path: 'a.txt' }],
      ['store/gc', {}],
    ];
    for (const [method, params] of calls) {
      const keyed = { session: rig.session, ...params, idempotencyKey: `key of ${method}` };
      const first = (await rig.client.send(method, keyed).answer) as { readonly replayed?: boolean };
      assert.is(first.replayed, undefined, method);
      const { replayed, ...rest } = (await rig.client.send(method, keyed).answer) as typeof first;
      assert.is(replayed, true, method);
      assert.equal(rest, first, method);
    }
  }));

test('the daemon returns the model and request fields that a client has sent', () =>
  withSession(async (rig) => {
    const modelInfo = { modelId: 'm', tokenLimits: { input: 1 }, features: ['tools'] };
    await rig.request('conversation/setModel', { modelInfo });
    const requestMetadata = {
      requestId: 'r',
      timeToFirstChunk: { secs: 1 },
      chatConversationType: 'ToolUse',
    };
    await rig.request('conversation/append', {
      entry: { user: { content: 'a' }, assistant: { content: 'b' }, requestMetadata },
    });
    const kept = (await rig.request('conversation/get', {})).modelInfo;
    assert.equal(kept?.tokenLimits, modelInfo.tokenLimits);
    assert.equal(kept?.features, modelInfo.features);
    const { entries } = await rig.request('conversation/history', {});
    assert.equal(entries[0]?.requestMetadata, requestMetadata);
    const { document } = await rig.request('conversation/export', {});
    await rig.request('conversation/import', { document: { ...document, model: 'of old' } });
    assert.is((await rig.request('conversation/get', {})).model, 'of old');
  }));

test('the checkpoint of a restore names the restored checkpoint and the safety checkpoint', () =>
  withSession(async (rig) => {
    rig.write('a.txt', 'two\n');
    await rig.request('checkpoint/create', { kind: 'turn' });
    rig.write('a.txt', 'three\n');
    const restored = await rig.request('checkpoint/restore', { tag: '0', mode: 'hard' });
    const { checkpoints } = await rig.request('checkpoint/list', { limit: 100 });
    assert.ok(checkpoints.length >= 2);
    const made = await rig.request('checkpoint/get', { tag: restored.checkpoint?.id ?? '' });
    assert.type(made.restored, 'string');
    assert.type(made.safety, 'string');
    await rig.request('conversation/enterTangent', { files: true });
    assert.is((await rig.request('conversation/get', {})).tangentState?.files, true);
    const { checkpoint } = await rig.request('checkpoint/create', { kind: 'turn' });
    assert.is((await rig.request('checkpoint/get', { tag: checkpoint.id })).inTangent, true);
  }));

test("long lists of sessions, and of a file's authors, continue on the next page", async () => {
  const places = makePlaces();
  await withSession(
    async (rig) => {
      for (const text of ['1', '2', '3']) {
        rig.write('a.txt', text);
        await rig.request('ledger/recordWrite', { path: 'a.txt' });
        await rig.request('checkpoint/create', { kind: 'tool', toolName: 'fs_write' });
      }
      const { nextCursor } = await rig.request('ledger/history', { path: 'a.txt', limit: 1 });
      assert.type(nextCursor, 'string');
      await rig.client.request('session/open', { workspace: places.workTree, conversationId: 'd' });
      const page = await rig.client.request('session/list', { limit: 1 });
      assert.is(page.sessions.length, 1);
      assert.type(page.nextCursor, 'string');
    },
    { places },
  );
});

test('answers contain the bytes of a path that is not UTF-8', () =>
  withSession(async (rig) => {
    const odd = Buffer.concat([Buffer.from(`${rig.places.workTree}/odd-`), Buffer.from([0xff])]);
    execFileSync('sh', [
      '-c',
      `printf 'some text that is moved about\\n' > "$(printf '%b' "$1")"`,
      'sh',
      toOctal(odd),
    ]);
    await rig.request('checkpoint/create', { kind: 'turn' });
    execFileSync('sh', ['-c', 'cd "$1" && mv odd-* plain', 'sh', rig.places.workTree]);
    await rig.request('checkpoint/create', { kind: 'turn' });
    const held = await rig.request('checkpoint/files', { tag: '1' });
    const added = await rig.request('checkpoint/diff', { from: '0', to: '1' });
    for (const { files } of [held, added]) assert.ok(files.some(({ pathBytes }) => pathBytes !== undefined));
    const { files } = await rig.request('checkpoint/diff', { from: '1', to: '2' });
    assert.ok(
      files?.some(({ pathBytes, oldPathBytes }) => (oldPathBytes ?? pathBytes) !== undefined),
      JSON.stringify(files),
    );
  }));

test('lists of skipped paths, conflicts and failures contain the bytes of a path that is not UTF-8', () =>
  withSession(async (rig) => {
    const inTree = (script: string): void => {
      execFileSync('sh', [
        '-c',
        `cd "$1" && odd=$(printf '%b' 'odd-\\0377') && ${script}`,
        'sh',
        rig.places.workTree,
      ]);
    };
    const bytes = Buffer.concat([Buffer.from('odd-'), Buffer.from([0xff])]).toString('base64');
    inTree('echo one > "$odd"');
    await rig.request('checkpoint/create', { kind: 'turn' });
    inTree('echo two > "$odd"');
    const { conflicts } = await rig.request('checkpoint/restore', { tag: '1', mode: 'hard', dryRun: true });
    assert.equal(
      conflicts.map(({ pathBytes }) => pathBytes),
      [bytes],
    );
    inTree('rm "$odd" && mkfifo "$odd"');
    const { failed } = await rig.request('checkpoint/restore', { tag: '1', mode: 'hard' });
    assert.equal(
      failed.map(({ pathBytes }) => pathBytes),
      [bytes],
    );
    const { skipped } = await rig.request('checkpoint/create', { kind: 'turn' });
    assert.equal(
      skipped.map(({ pathBytes }) => pathBytes),
      [bytes],
    );
  }));

const toOctal = (bytes: Buffer): string =>
  [...bytes].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');

test('conversation/context names an unreadable context file', () =>
  withRig(async (rig) => {
    const isRoot = process.getuid?.() === 0; // root reads everything
    if (isRoot && spawnSync('setpriv', ['--version']).status !== 0) {
      console.log('skipped: needs setpriv to run the daemon as another user');
      return;
    }
    if (isRoot) spawnSync('chown', ['-R', '65534:65534', rig.top]);
    const client = await rig.start(isRoot ? { command: asNobody } : {});
    const { session } = await rig.open(client);
    await client.request('conversation/addContext', { session, paths: ['a.txt'] });
    chmodSync(join(rig.work, 'a.txt'), 0);
    const { unreadable } = await client.request('conversation/context', { session, message: true });
    assert.equal(unreadable, ['a.txt']);
    await client.close();
  }));

test('a long restore reports its progress, and also whether it can still be cancelled', () =>
  withSession(async (rig) => {
    for (let i = 0; i < 3000; i += 1) rig.write(`d${i % 30}/f${i}`, `${i}\n`);
    await rig.request('checkpoint/create', { kind: 'turn' });
    for (let i = 0; i < 30; i += 1) rmSync(join(rig.places.workTree, `d${i}`), { recursive: true });
    const from = rig.client.frames.length;
    await rig.request('checkpoint/restore', { tag: '1', workDoneToken: 'restore' });
    const values = rig.client.frames
      .slice(from)
      .flatMap((frame) => (frame.method === '$/progress' ? [(frame.params as ProgressParams).value] : []));
    const restoring = values.flatMap((value) =>
      value.kind !== 'end' && value.phase === 'restore' ? [value] : [],
    );
    const last = restoring.at(-1);
    assert.is(last?.cancellable, false);
    assert.match(last?.message ?? '', /^\d+ of 3000 files$/);
    assert.ok((last?.percentage ?? 101) <= 100);
    assert.match(values.at(-1)?.message ?? '', /files$/);
  }));

test('a verbose trace has more details of each request', () =>
  withSession(async (rig) => {
    const from = rig.client.frames.length;
    const told = rig.client.next((frame) => frame.method === '$/logTrace', from);
    rig.client.notify('$/setTrace', { value: 'verbose' });
    await rig.request('conversation/get', {});
    assert.type(((await told).params as { verbose?: string }).verbose, 'string');
  }));

test('session/list names the process that has the session open', async () => {
  const places = makePlaces();
  await withSession(
    async () => {
      const other = new WireSession(places);
      try {
        await other.client.initialize({});
        const { sessions } = await other.client.request('session/list', {});
        assert.type(sessions[0]?.holder, 'number');
      } finally {
        await other.client.kill();
      }
    },
    { places },
  );
});

test('the check of recorded messages reports each declared field or error that occurs in no message', () => {
  const notes = temporaryDirectory('traffic');
  const document = JSON.parse(
    readFileSync(new URL('../../../protocol/protocol.json', import.meta.url), 'utf8'),
  ) as ProtocolDocument;
  const all = [...declared(document)];
  assert.ok(all.length > 700, `${all.length} declared`);
  writeFileSync(join(notes, '1'), all.join('\n'));
  assert.equal(neverSeen(document, notes).never, []);
  const missing = ['CaptureInfo.reason', 'error Conflict'];
  writeFileSync(join(notes, '1'), all.filter((name) => !missing.includes(name)).join('\n'));
  assert.equal(neverSeen(document, notes).never, missing);
  const seen: string[] = [];
  const conversation = { $ref: '#/$defs/ConversationHistoryResult' };
  walk(document, conversation, { entries: [{ user: { content: '' } }] }, (name) => seen.push(name));
  assert.equal(seen, ['ConversationHistoryResult.entries', 'HistoryEntry.user', 'UserMessage.content']);
});

test.run();
