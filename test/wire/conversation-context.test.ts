// Tests the context files of a conversation: allowed paths, the size limit, and the context message.
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeRecord, type LogRecord } from '../../src/conversation/log/session-log.ts';
import { until } from '../support/until.ts';
import { failureOf } from '../support/wire-client.ts';
import { makePlaces, withSession } from '../support/wire-session.ts';

test('context files must be in the work tree and within the limit, and the context message is cached (C24, C25, C7)', () =>
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
    // The watcher may be late with its reports about these files. Then the daemon correctly drops the cached message.
    await until('the message is cached', async () => {
      const { contextMessageLength } = await rig.request('conversation/get', {});
      if (contextMessageLength === length) return true;
      assert.is(contextMessageLength, undefined);
      await rig.request('conversation/context', asked);
      return false;
    });
    rig.write('docs/x.md', 'EX\n'); // this text has the same length as before, so that only the stamp shows the change
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

const hostile = `${'*a'.repeat(40)}b`;
const longName = 'a'.repeat(120);

test('a pattern with many stars is matched quickly by addContext, by an import and as an exclude glob', async () => {
  const places = makePlaces();
  writeFileSync(join(places.workTree, longName), 'x');
  await withSession(
    async (rig) => {
      const { context } = await rig.request('conversation/addContext', { paths: [hostile, `**/${hostile}`] });
      assert.equal(context.unmatched, [hostile, `**/${hostile}`]);
      const context_manager = { paths: [hostile] };
      const document = { format_version: 1, conversation_id: 'd', history: [], context_manager };
      await rig.request('conversation/import', { document });
      assert.equal((await rig.request('conversation/context', {})).context.patterns, [hostile]);
      await rig.request('checkpoint/create', { kind: 'turn' });
      const { files } = await rig.request('checkpoint/files', { tag: '1' });
      assert.equal(
        files.map(({ path }) => path),
        ['a.txt', longName],
      );
    },
    { places, open: { exclude: [hostile], include: [hostile] } },
  );
});

test('the daemon refuses a pattern of more than 4,096 bytes, and stores nothing', () =>
  withSession(async (rig) => {
    const long = 'é'.repeat(2049);
    const before = await rig.document();
    const added = await failureOf(rig.request('conversation/addContext', { paths: ['a.txt', long] }));
    assert.is(added.kind, 'InvalidParams');
    assert.match(added.message, /paths\[1\] has more than 4096 bytes\. Shorten it/);
    const document = { format_version: 1, conversation_id: 'd', context_manager: { paths: [long] } };
    const imported = await failureOf(rig.request('conversation/import', { document }));
    assert.is(imported.kind, 'DocumentInvalid');
    assert.equal(await rig.document(), before);
    for (const field of ['include', 'exclude']) {
      const { workTree } = rig.places;
      const asked = { workspace: workTree, conversationId: field, [field]: [long] };
      const refused = await failureOf(rig.client.request('session/open', asked));
      assert.is(refused.kind, 'InvalidParams', field);
      assert.match(refused.message, new RegExp(`${field}\\[0\\]`));
    }
    assert.is((await rig.client.request('session/list', {})).sessions.length, 1);
    await rig.request('conversation/addContext', { paths: ['é'.repeat(2048)] });
  }));

test('a session with a stored pattern that is too long can be opened, and the pattern can be removed', async () => {
  const places = makePlaces();
  const long = `${'*a'.repeat(100_000)}b`;
  const logFile = await withSession(
    async (rig) => {
      await rig.request('conversation/addContext', { paths: ['a.txt'] });
      return join(places.storage, rig.session, 'checkpointd', 'session.log');
    },
    { places },
  );
  const last = readFileSync(logFile, 'utf8')
    .split('\n')
    .findLast((line) => line.includes('"a.txt"'));
  assert.ok(last, readdirSync(join(logFile, '..')).join());
  const record = JSON.parse((last ?? '').slice(20).replace('"a.txt"', `"${long}"`)) as LogRecord;
  writeFileSync(logFile, encodeRecord(record), { flag: 'a' });
  await withSession(
    async (rig) => {
      assert.is(rig.opened.resumed, true);
      assert.equal((await rig.request('conversation/context', {})).context.unmatched, [long]);
      const { changed } = await rig.request('conversation/removeContext', { paths: [long] });
      assert.equal(changed, [long]);
    },
    { places },
  );
});

test.run();
