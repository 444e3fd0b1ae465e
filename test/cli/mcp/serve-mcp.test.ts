// Tests the MCP server with the official client.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { daemonsOf } from '../../support/programs/keepers.ts';
import { daemonEntry } from '../../support/wire-client.ts';

async function withMcp(body: (client: Client, rig: DaemonRig) => Promise<void>): Promise<void> {
  await withRig(async (rig) => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [daemonEntry, 'mcp', `--storage=${rig.storage}`],
        env: Object.fromEntries(Object.entries(rig.environment).map(([key, value]) => [key, value ?? ''])),
        cwd: rig.work,
        stderr: 'ignore',
      }),
    );
    try {
      await body(client, rig);
    } finally {
      await client.close();
    }
  });
}

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ isError: boolean; text: string; structured: Record<string, unknown> }> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return {
    isError: isError === true,
    text: first?.type === 'text' ? first.text : '',
    structured: (structuredContent ?? {}) as Record<string, unknown>,
  };
}

test('each MCP tool declares whether it only reads, and whether it can destroy data', () =>
  withMcp(async (client) => {
    const { tools } = await client.listTools();
    assert.equal(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
      [
        ['checkpoint_list', true, false],
        ['checkpoint_show', true, false],
        ['checkpoint_diff', true, false],
        ['checkpoint_create', false, false],
        ['checkpoint_restore', false, true],
        ['checkpoint_revert', false, true],
        ['checkpoint_undo', false, true],
        ['checkpoint_redo', false, true],
      ],
    );
    assert.ok(tools.every(({ outputSchema }) => outputSchema !== undefined));
  }));

test('with the MCP tools, a model can save, compare and restore a work tree, and undo and redo the restore', () =>
  withMcp(async (client, rig) => {
    const none = await call(client, 'checkpoint_list');
    assert.ok(none.isError);
    assert.match(none.text, /has no session/);
    const made = await call(client, 'checkpoint_create', { message: 'before', name: 'safe' });
    assert.is(made.structured['created'], true);
    rig.write('a.txt', 'spoilt\n');
    rig.write('later.txt', 'later\n');
    assert.match((await call(client, 'checkpoint_list')).text, /^\[1\].*before\n\[0\]/);
    assert.match(
      (await call(client, 'checkpoint_diff', { from: '1', paths: ['a.txt'] })).text,
      /-a\n\+spoilt/,
    );
    const show = await call(client, 'checkpoint_show', { tag: 'safe' });
    assert.match(show.text, /before/);
    assert.equal(show.structured['files'], []);
    const wanted = { tag: 'safe', mode: 'hard' };
    const plan = await call(client, 'checkpoint_restore', wanted);
    assert.is(plan.structured['dryRun'], true);
    assert.match(plan.text, /would be restored \(1\): a\.txt\nwould be deleted \(1\): later\.txt/);
    assert.is(rig.read('a.txt'), 'spoilt\n');
    const done = await call(client, 'checkpoint_restore', { ...wanted, confirm: true });
    assert.not.ok(done.isError, done.text);
    assert.equal([rig.read('a.txt'), rig.read('later.txt')], ['a\n', undefined]);
    assert.not.ok((await call(client, 'checkpoint_undo')).isError);
    assert.equal([rig.read('a.txt'), rig.read('later.txt')], ['spoilt\n', 'later\n']);
    assert.not.ok((await call(client, 'checkpoint_redo')).isError);
    assert.equal([rig.read('a.txt'), rig.read('later.txt')], ['a\n', undefined]);
  }));

test('a model can plan and make a revert of one turn; a later change stays, and a conflict has a reason', () =>
  withMcp(async (client, rig) => {
    await call(client, 'checkpoint_create');
    rig.write('a.txt', 'turn\n');
    await call(client, 'checkpoint_create');
    rig.write('later.txt', 'later\n');
    const plan = await call(client, 'checkpoint_revert', { tag: '1' });
    assert.is(plan.structured['dryRun'], true);
    assert.match(plan.text, /would be restored \(1\): a\.txt\nNothing was changed\. Repeat/);
    assert.is(rig.read('a.txt'), 'turn\n');
    rig.write('a.txt', 'mine\n');
    const inConflict = await call(client, 'checkpoint_revert', { tag: '1' });
    assert.match(
      inConflict.text,
      /^would be conflicts \(1\): a\.txt \(the same lines were changed later.*\)\n/,
    );
    rig.write('a.txt', 'turn\n');
    const range = { from: '1', to: '2', conflicts: 'fail', confirm: true };
    assert.match(
      (await call(client, 'checkpoint_revert', range)).text,
      /checkpoint_undo reverses the revert/,
    );
    assert.equal([rig.read('a.txt'), rig.read('later.txt')], ['a\n', 'later\n']);
    const unknown = await call(client, 'checkpoint_revert', { from: '1', author: 'codex' });
    assert.ok(unknown.isError);
    assert.match(unknown.text, /nor an agent named/);
  }));

test('checkpoint_show lists the files that changed since the previous checkpoint', () =>
  withMcp(async (client, rig) => {
    await call(client, 'checkpoint_create', { message: 'one' });
    rig.write('a.txt', 'two\n');
    rig.write('new.txt', 'new\n');
    await call(client, 'checkpoint_create', { message: 'two' });
    const { text, structured } = await call(client, 'checkpoint_show', { tag: '2' });
    assert.match(text, /\nmodified: a\.txt\nadded: new\.txt$/);
    assert.is(structured['fileCount'], 2);
  }));

test('the MCP server offers each checkpoint as a resource', () =>
  withMcp(async (client, rig) => {
    assert.equal((await client.listResources()).resources, []);
    await call(client, 'checkpoint_create', { message: 'one' });
    rig.write('a.txt', 'two\n');
    await call(client, 'checkpoint_create', { message: 'two' });
    const { resources } = await client.listResources();
    assert.is(resources.length, 3);
    assert.match(resources[0]?.name ?? '', /^\[2\].*two$/);
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' });
    const [content] = contents;
    const read = JSON.parse(content !== undefined && 'text' in content ? content.text : '') as {
      changed: { path: string }[];
    };
    assert.equal(
      read.changed.map(({ path }) => path),
      ['a.txt'],
    );
    let refused = '';
    await client
      .readResource({ uri: 'checkpointd://checkpoint/ckpt_00000000000000000000' })
      .catch((error: unknown) => {
        refused = String(error);
      });
    assert.not.equal(refused, '');
  }));

test('the MCP server answers wrong arguments and unknown checkpoints with text, and changes nothing', () =>
  withMcp(async (client, rig) => {
    await call(client, 'checkpoint_create');
    const before = rig.tree();
    const unknown = await call(client, 'checkpoint_restore', { tag: 'nowhere', confirm: true });
    assert.ok(unknown.isError);
    assert.match(unknown.text, /UnknownCheckpoint/);
    for (const args of [{}, { tag: 7 }, { tag: '1', mode: 'wild' }, { tag: '1', more: true }]) {
      const answer = await call(client, 'checkpoint_restore', args).catch((error: unknown) => ({
        isError: true,
        text: String(error),
      }));
      assert.ok(answer.isError, JSON.stringify(args));
    }
    assert.equal(rig.tree(), before);
  }));

test('the MCP server explains what to do without a session, after a wrong tag, or without anything to undo', () =>
  withMcp(async (client) => {
    const none = await call(client, 'checkpoint_list');
    assert.match(none.text, /^\/.* has no session\. checkpoint_create starts a session\.$/);
    await call(client, 'checkpoint_create', { message: 'one', name: 'before-lunch' });
    const wrong = await call(client, 'checkpoint_show', { tag: 'befor-lunch' });
    assert.match(wrong.text, /^UnknownCheckpoint: .*checkpoint_list.* Did you mean before-lunch\?$/);
    const plan = await call(client, 'checkpoint_restore', { tag: '1' });
    assert.is(plan.text, 'No file changes.\nThe restore would change nothing.');
    const undo = await call(client, 'checkpoint_undo');
    assert.match(undo.text, /^NothingToUndo: There is no restore left to undo\.$/);
    const redo = await call(client, 'checkpoint_redo');
    assert.match(redo.text, /^NothingToUndo: There is no restore to redo\.$/);
    assert.not.match(undo.text, /\w\/\w|tangent|kind/);
  }));

test('the error for a missing MCP resource names no method of the protocol, and every resource has its own title', () =>
  withMcp(async (client) => {
    await call(client, 'checkpoint_create', { message: 'one' });
    const { resources } = await client.listResources();
    assert.equal(
      resources.map(({ title = '' }) => title.replace(/^.* /, '')),
      ['one', 'state'],
    );
    for (const reference of ['99', '%E0%A4%A', '%00', '']) {
      const uri = `checkpointd://checkpoint/${reference}`;
      const refused = await client.readResource({ uri }).then(
        () => undefined,
        (error: unknown) => error as { readonly code: number; readonly message: string },
      );
      assert.is(refused?.code, -32602, `${uri}: ${refused?.message}`);
      assert.not.match(refused?.message ?? '', /checkpoint\/list|malformed/);
    }
  }));

test('if the daemon dies, the MCP server repeats a query, and reports a change as possibly made', () =>
  withMcp(async (client, rig) => {
    const endDaemons = (): void => {
      for (const pid of daemonsOf(rig.storage)) process.kill(pid, 'SIGKILL');
    };
    await call(client, 'checkpoint_create', { message: 'one' });
    endDaemons();
    const list = await call(client, 'checkpoint_list');
    assert.match(list.text, /^\[1\].*one\n\[0\]/);
    endDaemons();
    const create = await call(client, 'checkpoint_create', { message: 'two' });
    assert.ok(create.isError);
    assert.match(create.text, /SIGKILL.* It is unknown whether the call was carried out.*checkpoint_list/);
    assert.not.ok((await call(client, 'checkpoint_create', { message: 'two' })).isError);
  }));

test.run();
