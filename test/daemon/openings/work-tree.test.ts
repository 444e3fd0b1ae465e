// Tests that session/open refuses a protected work tree without leaving a trace. session/open recognises a work tree by
// any path that leads to it.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../../support/daemon-rig.ts';
import { git } from '../../support/git-oracle.ts';
import { failureOf } from '../../support/wire-client.ts';

test('session/open refuses a bare repository as work tree, even with allowProtected', () =>
  withRig(
    async (rig) => {
      const bare = join(rig.top, 'bare.git');
      git(rig.top, 'init', '-q', '--bare', bare);
      const before = readdirSync(bare, { recursive: true, encoding: 'utf8' }).sort();
      const client = await rig.start();
      for (const allowProtected of [false, true]) {
        const opening = client.send('session/open', { workspace: bare, allowProtected });
        const refused = await failureOf(opening.answer);
        assert.is(refused.kind, 'ProtectedWorkTree');
        assert.match(refused.message, /git worktree add/);
      }
      assert.is((await client.close()).code, 0);
      assert.equal(readdirSync(bare, { recursive: true, encoding: 'utf8' }).sort(), before);
    },
    { repository: false },
  ));

test('session/open refuses a root that is relative, missing, a file or inside .git, and creates no file (F112)', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const kindOf = async (workspace: string): Promise<string | undefined> =>
      (await failureOf(client.request('session/open', { workspace }))).kind;
    assert.is(await kindOf('work'), 'InvalidParams');
    assert.is(await kindOf('../work'), 'InvalidParams');
    assert.is(await kindOf(''), 'InvalidParams');
    assert.is(await kindOf(join(rig.top, 'nowhere')), 'WorkTreeMissing');
    assert.is(await kindOf(join(rig.work, 'a.txt')), 'NotADirectory');
    assert.is(await kindOf(join(rig.work, 'a.txt', 'below')), 'NotADirectory');
    assert.is(await kindOf(`${rig.work}\0x`), 'InvalidParams');
    assert.is(await kindOf(join(rig.work, '.git')), 'ProtectedWorkTree');
    assert.is(await kindOf(`/${'x'.repeat(5000)}`), 'WorkTreeUnreadable');
    assert.equal(rig.stored(), []);
  }));

test('if the path of a work tree has links or dots, session/open uses the canonical path, which may contain a newline (F112)', () =>
  withRig(async (rig) => {
    const odd = join(rig.top, 'new\nline');
    mkdirSync(odd);
    git(odd, 'init', '-q');
    writeFileSync(join(odd, 'file'), 'x\n');
    symlinkSync(rig.work, join(rig.top, 'link'));
    const client = await rig.start();
    const direct = await rig.open(client);
    const linked = await rig.open(client, { workspace: join(rig.top, 'link') });
    const dotted = await rig.open(client, { workspace: `${rig.work}/deep/../` });
    assert.equal([linked.session, linked.workspace], [direct.session, rig.work]);
    assert.is(dotted.session, direct.session);
    const { session, workspace } = await rig.open(client, { workspace: odd });
    assert.is(workspace, odd);
    const { files } = await client.request('checkpoint/files', { session, tag: '0' });
    assert.equal(
      files.map(({ path }) => path),
      ['file'],
    );
    assert.is((await client.close()).code, 0);
  }));

test('session/open refuses protected directories under any name, unless allowProtected is given (R13, F112)', () =>
  withRig(async (rig) => {
    const documents = join(rig.home, 'Documents');
    mkdirSync(documents);
    symlinkSync(rig.home, join(rig.top, 'innocent'));
    const client = await rig.start();
    for (const workspace of [
      '/',
      '//',
      rig.home,
      `${rig.home}/`,
      `${documents}/..`,
      documents,
      join(rig.top, 'innocent'),
    ]) {
      const failure = await failureOf(client.request('session/open', { workspace }));
      assert.is(failure.kind, 'ProtectedWorkTree', workspace);
      assert.match(failure.message, /allowProtected/);
    }
    assert.equal(rig.stored(), []);
    writeFileSync(join(documents, 'letter'), 'x\n');
    const opened = await rig.open(client, { workspace: documents, allowProtected: true, init: 'force' });
    assert.ok(opened.checkpoints.enabled);
    assert.is((await client.close()).code, 0);
  }));

test.run();
