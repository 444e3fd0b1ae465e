// The conversation over the wire: every method with its answer, its event, its repeat and its refusals.
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequestMethod } from '../../src/protocol/types.ts';
import { until } from '../support/until.ts';
import { failureOf } from '../support/wire-client.ts';
import { makePlaces, withSession } from '../support/wire-session.ts';

test('conversation/get answers the fields of the state; history and transcript by their lengths (C1)', () =>
  withSession(async (rig) => {
    await rig.append('hello\nthere');
    await rig.request('conversation/setNextMessage', { message: { content: 'next' } });
    await rig.request('conversation/setTools', {
      tools: { builtin: [{ name: 'grep' }], mcp: [{ name: 'x' }] },
      toolManager: { servers: 1 },
    });
    await rig.request('conversation/setAgents', { agents: { q: {} } });
    await rig.request('conversation/setModel', { modelInfo: { modelId: 'm', contextWindowTokens: 1000 } });
    await rig.request('conversation/setMcpEnabled', { mcpEnabled: false });
    await rig.request('conversation/compact', { summary: 'short', metadata: { requestId: 'r' } });
    await rig.request('conversation/recordLines', { path: 'a.txt', operation: 'create' });
    await rig.request('conversation/enterTangent', {});
    const { session } = rig;
    const { tangentState, ...got } = await rig.request('conversation/get', {});
    assert.equal(got, {
      conversationId: 'c',
      nextMessage: { content: 'next' },
      historyLength: 1,
      validHistoryRange: { start: 1, end: 1 },
      transcriptLength: 5,
      tools: { builtin: [{ name: 'grep' }], mcp: [{ name: 'x' }] },
      contextManager: { patterns: [], files: [], dropped: [], size: 0, maxSize: 3000 },
      contextWindow: { characters: 0, maxCharacters: 4000, level: 'none' },
      toolManager: { servers: 1 },
      latestSummary: { summary: 'short', metadata: { requestId: 'r' } },
      agents: { q: {} },
      modelInfo: { modelId: 'm', contextWindowTokens: 1000 },
      fileLineTracker: {
        'a.txt': {
          prevFswriteLines: 0,
          beforeFswriteLines: 0,
          afterFswriteLines: 1,
          linesAddedByAgent: 1,
          linesRemovedByAgent: 0,
          isFirstWrite: false,
        },
      },
      checkpointManager: { session, strategy: 'shadow', enabled: true },
      mcpEnabled: false,
    });
    assert.is(tangentState?.mainHistoryLength, 1);
    assert.equal(tangentState?.mainNextMessage, { content: 'next' });
    assert.equal(tangentState?.mainLatestSummary, { summary: 'short', metadata: { requestId: 'r' } });
    assert.is((await rig.request('conversation/tangent', {})).durationSeconds, 0);
  }));

test('every change tells conversation/didChange, method included, before its answer', () =>
  withSession(async (rig) => {
    const before = rig.client.frames.length;
    await rig.append('a');
    const [event, answer] = rig.client.frames.slice(before);
    assert.is(event?.method, 'conversation/didChange');
    assert.equal(event?.params, {
      session: rig.session,
      method: 'conversation/append',
      historyLength: 1,
      transcriptLength: 3,
      validHistoryRange: { start: 0, end: 1 },
    });
    assert.ok(answer?.result);
  }));

test('a repeat with the same key is answered again, also by the next daemon; another request with it is refused (C8)', async () => {
  const places = makePlaces();
  const entry = { user: { content: 'a' }, assistant: { content: 'b' } };
  const first = await withSession(
    async (rig) => {
      const append = { entry, idempotencyKey: 'k1' };
      const answer = await rig.request('conversation/append', append);
      assert.equal(await rig.request('conversation/append', append), { ...answer, replayed: true });
      const other = { entry: { user: {}, assistant: {} }, idempotencyKey: 'k1' };
      assert.is((await failureOf(rig.request('conversation/append', other))).kind, 'IdempotencyConflict');
      const context = { paths: ['a.txt', 'gone.txt'], idempotencyKey: 'k2' };
      const model = { modelInfo: { modelId: 'm' }, idempotencyKey: 'k3' };
      const tangent = { files: true, idempotencyKey: 'k4' };
      return {
        append: answer,
        context: await rig.request('conversation/addContext', context),
        model: await rig.request('conversation/setModel', model),
        tangent: await rig.request('conversation/enterTangent', tangent),
      };
    },
    { places },
  );
  await withSession(
    async (rig) => {
      const fate = await rig.request('operation/get', { idempotencyKey: 'k1' });
      assert.is(fate.state, 'committed');
      assert.is(fate.method, 'conversation/append');
      const { operation: _named, ...effect } = first.append;
      assert.equal(fate.result, effect);
      const again = {
        append: await rig.request('conversation/append', { entry, idempotencyKey: 'k1' }),
        context: await rig.request('conversation/addContext', {
          paths: ['a.txt', 'gone.txt'],
          idempotencyKey: 'k2',
        }),
        model: await rig.request('conversation/setModel', {
          modelInfo: { modelId: 'm' },
          idempotencyKey: 'k3',
        }),
        tangent: await rig.request('conversation/enterTangent', { files: true, idempotencyKey: 'k4' }),
      };
      for (const name of ['append', 'context', 'model', 'tangent'] as const)
        assert.equal(again[name], { ...first[name], replayed: true });
      assert.equal(await rig.said(), ['a']);
      const log = readFileSync(join(places.storage, rig.session, 'checkpointd', 'session.log'), 'utf8');
      assert.not.match(log, /"kind":"operation"/);
    },
    { places },
  );
});

test('a listing by cursor shows the state it began with: appends and restores meanwhile do not break it (C12)', () =>
  withSession(async (rig) => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) await rig.append(text);
    const first = await rig.request('conversation/history', { limit: 2 });
    const lines = await rig.request('conversation/transcript', { limit: 7 });
    await rig.append('late');
    await rig.request('checkpoint/create', { kind: 'turn' });
    await rig.request('checkpoint/restore', { tag: '0' });
    assert.is((await rig.request('conversation/get', {})).historyLength, 0);
    const said: string[] = first.entries.map(({ user }) => user.content ?? '');
    let { nextCursor } = first;
    const starts: number[] = [];
    while (nextCursor !== undefined) {
      const page = await rig.request('conversation/history', { limit: 2, cursor: nextCursor });
      said.push(...page.entries.map(({ user }) => user.content ?? ''));
      starts.push(page.start);
      assert.is(page.historyLength, 5);
      nextCursor = page.nextCursor;
    }
    assert.equal(said, ['a', 'b', 'c', 'd', 'e']);
    assert.equal(starts, [2, 4]);
    const rest = await rig.request('conversation/transcript', { cursor: lines.nextCursor ?? '' });
    assert.is(rest.start, 7);
    assert.equal([...lines.lines, ...rest.lines].slice(6, 9), ['> c', 're c', '[Tool uses: none]']);
    assert.is(rest.nextCursor, undefined);
    for (const cursor of ['x', nextCursorOf(lines), 'W10'])
      assert.is(
        (await failureOf(rig.request('conversation/history', { cursor }))).kind,
        'CursorExpired',
        cursor,
      );
  }));

function nextCursorOf({ nextCursor }: { readonly nextCursor?: string }): string {
  return nextCursor ?? '';
}

test("conversation/history {tag} reads a checkpoint's history, from an entry on (C33)", () =>
  withSession(async (rig) => {
    const { id } = await rig.append('a');
    await rig.append('b');
    await rig.request('checkpoint/create', { kind: 'turn', name: 'two' });
    await rig.append('c');
    const { entries, historyLength, start } = await rig.request('conversation/history', {
      tag: 'two',
      from: id,
    });
    assert.equal([entries.length, historyLength, start, entries[0]?.id], [2, 2, 0, id]);
    const unknown = { tag: 'two', from: 'ent_x' };
    assert.is((await failureOf(rig.request('conversation/history', unknown))).kind, 'UnknownEntry');
    const absent = { tag: '77' };
    assert.is((await failureOf(rig.request('conversation/history', absent))).kind, 'UnknownCheckpoint');
  }));

test('context files: within the work tree, by budget, the message cached until a file changes (C24, C25, C7)', () =>
  withSession(async (rig) => {
    rig.write('docs/x.md', 'ex\n');
    rig.write('docs/deep/y.md', 'why\n');
    rig.write('docs/big.md', 'b'.repeat(200));
    rig.write('.git/secret.md', 's');
    symlinkSync('/etc/hostname', join(rig.places.workTree, 'out.md'));
    symlinkSync('docs/x.md', join(rig.places.workTree, 'in.md'));
    await rig.request('conversation/setModel', { modelInfo: { modelId: 'm', contextWindowTokens: 50 } });
    const { changed, context } = await rig.request('conversation/addContext', {
      paths: ['docs/**/*.md', 'in.md', 'none.md'],
    });
    assert.equal(changed, ['docs/**/*.md', 'in.md', 'none.md']);
    assert.is(context.maxSize, 148);
    assert.equal(
      context.files.map(({ path, bytes, pattern }) => [path, bytes, pattern]),
      [
        ['docs/deep/y.md', 4, 'docs/**/*.md'],
        ['docs/x.md', 3, 'docs/**/*.md'],
        ['in.md', 3, 'in.md'],
      ],
    );
    assert.equal(
      context.dropped.map(({ path }) => path),
      ['docs/big.md'],
    );
    const none = await rig.request('conversation/get', {});
    assert.is(none.contextMessageLength, undefined);
    const asked = { message: true, hooks: [{ output: 'hooked' }], agentPrompt: 'be kind' };
    const built = await rig.request('conversation/context', asked);
    assert.is(
      built.message,
      '--- CONTEXT ENTRY BEGIN ---\n[docs/deep/y.md]\nwhy\n\n[docs/x.md]\nex\n\n[in.md]\nex\n\n--- CONTEXT ENTRY END ---\n\n' +
        '--- CONTEXT ENTRY BEGIN ---\nhooked\n--- CONTEXT ENTRY END ---\n\nFollow this instruction: be kind',
    );
    const length = Buffer.byteLength(built.message ?? '');
    assert.is(built.contextMessageLength, length);
    // What the watcher tells late of the files written above drops the message, rightly: it is built once more.
    await until('the message stands', async () => {
      const { contextMessageLength } = await rig.request('conversation/get', {});
      if (contextMessageLength === length) return true;
      assert.is(contextMessageLength, undefined);
      await rig.request('conversation/context', asked);
      return false;
    });
    rig.write('docs/x.md', 'EX\n'); // as long as before: only its stamp tells
    assert.is((await rig.request('conversation/get', {})).contextMessageLength, undefined);
    for (const path of ['/etc/passwd', '../x', 'a/../../x', 'out.md', '.git/secret.md', 'x/.GIT/y']) {
      const failure = await failureOf(rig.request('conversation/addContext', { paths: [path] }));
      assert.is(failure.kind, 'PathOutsideWorkTree', path);
    }
    const globbed = await rig.request('conversation/addContext', { paths: ['*.md'] });
    assert.not(globbed.context.files.some(({ path }) => path === 'out.md' || path.includes('.git')));
    const removed = await rig.request('conversation/removeContext', {
      paths: ['*.md', 'in.md', 'docs/**/*.md', 'q'],
    });
    assert.equal(removed.changed, ['*.md', 'in.md', 'docs/**/*.md']);
    assert.equal(removed.context.patterns, ['none.md']);
  }));

test('export and import by file: in one step, back without loss, refusals leave everything as it was (C2, C35)', () =>
  withSession(async (rig) => {
    await rig.append('a\nb');
    await rig.append('', { tool: true });
    await rig.request('conversation/compact', { summary: 's', keep: 1 });
    await rig.request('conversation/enterTangent', {});
    await rig.append('in tangent');
    const document = await rig.document();
    assert.equal(document.checkpoint_manager, { session: rig.session, strategy: 'shadow', enabled: true });
    const exported = await rig.request('conversation/export', { path: './out.json' });
    assert.is(exported.path, join(rig.places.workTree, 'out.json'));
    const file = join(rig.places.workTree, 'out.json');
    assert.equal(JSON.parse(readFileSync(file, 'utf8')), document);
    assert.is(statSync(file).size, exported.bytes);
    await rig.request('conversation/clear', {});
    await rig.request('conversation/exitTangent', {});
    await rig.request('conversation/import', { path: 'out.json' });
    assert.equal(await rig.document(), document);
    const tree = rig.places.workTree;
    mkdirSync(join(tree, 'dir'));
    symlinkSync('/tmp', join(tree, 'away'));
    const refusals: [string, string][] = [
      ['dir', 'InvalidParams'],
      ['missing/x.json', 'InvalidParams'],
      ['../x.json', 'PathOutsideWorkTree'],
      ['away/x.json', 'PathOutsideWorkTree'],
      [join(rig.places.storage, 'x.json'), 'InvalidParams'],
    ];
    for (const [path, kind] of refusals)
      assert.is((await failureOf(rig.request('conversation/export', { path }))).kind, kind, path);
    symlinkSync(file, join(tree, 'link.json'));
    await rig.request('conversation/export', { path: join(tree, 'link.json'), overwrite: true });
    assert.equal(JSON.parse(readFileSync(file, 'utf8')), document, 'a link is replaced, not followed');
    for (const bad of ['dir', 'missing.json', '']) {
      assert.is(
        (await failureOf(rig.request('conversation/import', { path: bad }))).kind,
        'InvalidParams',
        bad,
      );
    }
    assert.equal(await rig.document(), document);
  }));

test('bad documents are refused with their kind and change nothing; a history over the cap is trimmed and told', () =>
  withSession(async (rig) => {
    await rig.append('kept');
    const before = await rig.document();
    const entry = { id: 'e', user: { content: 'x' }, assistant: { content: 'y' } };
    const good = {
      format_version: 1,
      conversation_id: 'd',
      history: [entry],
      valid_history_range: [0, 1],
      transcript: [],
    };
    const text = JSON.stringify(good);
    const cases: [unknown, string][] = [
      [{ ...good, format_version: 2 }, 'DocumentVersion'],
      [{ ...good, history: [entry, entry] }, 'DocumentInvalid'],
      [{ ...good, valid_history_range: [0, 2] }, 'DocumentInvalid'],
      [{ ...good, history: 'no' }, 'DocumentInvalid'],
      [text.slice(0, -9), 'DocumentInvalid'],
      ['not JSON', 'DocumentInvalid'],
    ];
    for (const [document, kind] of cases) {
      const file = join(rig.places.workTree, 'bad.json');
      const content = typeof document === 'string' ? document : JSON.stringify(document);
      writeFileSync(file, content);
      assert.is((await failureOf(rig.request('conversation/import', { path: file }))).kind, kind);
      assert.is(readFileSync(file, 'utf8'), content);
    }
    const both = { document: good, path: '/x' };
    assert.is((await failureOf(rig.request('conversation/import', both))).kind, 'InvalidParams');
    assert.equal(await rig.document(), before);
    const history = Array.from({ length: 10_003 }, (_, index) => ({ ...entry, id: `e${index}` }));
    const { dropped, historyLength } = await rig.request('conversation/import', {
      document: { ...good, history, valid_history_range: [0, 10_003] },
    });
    assert.equal([dropped, historyLength], [3, 10_000]);
  }));

test('bad changes are refused with their kind, tell nothing and change nothing (C6)', () =>
  withSession(async (rig) => {
    await rig.append('a');
    await rig.append('b', { tool: true });
    const before = await rig.document();
    const told = rig.events('conversation/didChange').length;
    const ask = async (method: RequestMethod, params: object): Promise<string | undefined> =>
      (await failureOf(rig.request(method, params))).kind;
    const big = 'x'.repeat(400_001);
    const entry = (user: object): object => ({ entry: { user, assistant: {} } });
    assert.is(await ask('conversation/append', entry({ content: big })), 'MessageTooLarge');
    assert.is(await ask('conversation/append', entry({ content: '\ud800' })), 'InvalidParams');
    assert.is(await ask('conversation/append', entry({ content: 7 })), 'InvalidParams');
    assert.is(await ask('conversation/append', {}), 'InvalidParams');
    assert.is(await ask('conversation/appendTranscript', { text: '\udc00' }), 'InvalidParams');
    assert.is(await ask('conversation/compact', { summary: big }), 'MessageTooLarge');
    assert.is(await ask('conversation/compact', { summary: 's', keepFrom: 'ent_none' }), 'UnknownEntry');
    assert.is(await ask('conversation/compact', { summary: 's', keep: 1, keepFrom: 'e' }), 'InvalidParams');
    for (const range of [
      { start: 0, end: 3 },
      { start: 2, end: 1 },
    ])
      assert.is(await ask('conversation/setValidRange', { range }), 'InvalidRange');
    assert.is(await ask('conversation/setValidRange', { range: { start: -1, end: 1 } }), 'InvalidParams');
    assert.is(
      await ask('conversation/recordLines', { path: '../x', operation: 'create' }),
      'PathOutsideWorkTree',
    );
    assert.is(await ask('conversation/setTools', { tools: { a: 'no' } }), 'InvalidParams');
    assert.is(await ask('conversation/get', { session: 'ses_no' }), 'UnknownSession');
    assert.equal(await rig.document(), before);
    assert.is(rig.events('conversation/didChange').length, told);
  }));

test('a model without a window gets 200,000 tokens and a warning in the log, at open as well (C30)', () =>
  withSession(
    async (rig) => {
      const { modelInfo } = await rig.request('conversation/get', {});
      assert.equal(modelInfo, { modelId: 'unknown-9', contextWindowTokens: 200_000 });
      const set = await rig.request('conversation/setModel', { modelInfo: { modelId: 'other' } });
      assert.is(set.maxContextSize, 600_000);
      const log = readFileSync(join(rig.places.storage, '..', 'log'), 'utf8');
      for (const model of ['unknown-9', 'other'])
        assert.match(log, new RegExp(`warn The context window of the model ${model} is not known`));
    },
    withLog({ modelInfo: { modelId: 'unknown-9' } }),
  ));

function withLog(open: object): Parameters<typeof withSession>[1] {
  const places = makePlaces();
  return { places, open, wire: { args: [`--log-file=${join(places.storage, '..', 'log')}`] } };
}

test('an empty next message becomes "Empty prompt"; a locked one stays and describes the turn (C37)', () =>
  withSession(async (rig) => {
    await rig.request('conversation/setNextMessage', { message: { content: 'the plan' }, lock: true });
    const second = await rig.request('conversation/setNextMessage', { message: { content: '' } });
    assert.is(second.accepted, false);
    assert.is(second.pendingUserMessage, 'the plan');
    assert.equal((await rig.request('conversation/get', {})).nextMessage, { content: 'Empty prompt' });
    const { checkpoint } = await rig.request('checkpoint/create', { kind: 'turn' });
    assert.is(checkpoint.description, 'the plan');
    assert.is((await rig.request('session/get', {})).manager.messageLocked, false);
  }));

test("recordLines tells the user's lines from the agent's, and counts the file when not told (C31)", () =>
  withSession(async (rig) => {
    rig.write('w.txt', '1\n2\n3');
    const first = await rig.request('conversation/recordLines', { path: 'w.txt', operation: 'create' });
    assert.equal([first.linesByUser, first.linesByAgent], [0, 3]);
    rig.write('w.txt', '1\n2\n3\n4\n5\n6\n');
    const second = await rig.request('conversation/recordLines', {
      path: 'w.txt',
      operation: 'append',
      linesBefore: 5,
      newText: '6\n',
    });
    assert.equal([second.linesByUser, second.linesByAgent, second.tracker.afterFswriteLines], [2, 1, 6]);
    assert.is(
      (await rig.request('conversation/recordLines', { path: 'no', operation: 'create' })).linesByAgent,
      0,
    );
  }));

test.run();
