// Tests that the user's git configuration has no effect on captures and restores.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { manifest, opened } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

async function withEnvironment<T>(changes: Record<string, string>, body: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, changes);
  try {
    return await body();
  } finally {
    for (const name of Object.keys(changes)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

test('the user’s git settings for signing, hooks, templates, filters and line ends have no effect (R14, F52)', async () => {
  const home = temporaryDirectory('home');
  const ran = join(home, 'ran');
  const hooks = join(home, 'hooks');
  mkdirSync(hooks);
  for (const hook of [
    'post-commit',
    'reference-transaction',
    'post-checkout',
    'prepare-commit-msg',
    'post-index-change',
  ]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${ran}\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  writeFileSync(
    join(home, '.gitconfig'),
    `[commit]\ngpgsign = true\n[tag]\ngpgsign = true\n[gpg]\nprogram = /bin/false\n[core]\nhooksPath = ${hooks}\nautocrlf = true\neditor = touch ${ran}\nfsmonitor = touch ${ran}\n[filter "lfs"]\nclean = touch ${ran}; cat\nsmudge = cat\nrequired = true\n[init]\ntemplateDir = ${hooks}\n`,
  );
  await withEnvironment({ HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') }, async () => {
    const { daemon, root, session } = await opened({
      'a.txt': 'lf\n',
      'b.bin': 'crlf\r\n',
      '.gitattributes': '* text=auto\n*.bin filter=lfs\n',
    });
    const present = manifest(root);
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    rmSync(join(root, 'a.txt'));
    rmSync(join(root, 'b.bin'));
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal(manifest(root), present, 'byte for byte');
    assert.not(existsSync(ran), 'nothing of the user’s ran');
    await daemon.close();
  });
});

test.run();
