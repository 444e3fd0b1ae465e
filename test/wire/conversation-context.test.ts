// Context files of a conversation: which may be, how much of them, and the message that they make.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../support/until.ts';
import { failureOf } from '../support/wire-client.ts';
import { withSession } from '../support/wire-session.ts';

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

test.run();
