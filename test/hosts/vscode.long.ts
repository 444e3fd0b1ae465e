// Compiles the snippet for VS Code with the real declarations of VS Code and vscode-languageclient from the npm
// registry. If the registry cannot be reached, the test is skipped with a message.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The oldest version that the snippet claims to support, and the current version. */
for (const version of ['9', 'latest']) {
  const folder = mkdtempSync(join(tmpdir(), 'checkpointd-vscode-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const packages = [`vscode-languageclient@${version}`, '@types/vscode', '@types/node@20'];
  const install = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', ...packages],
    { encoding: 'utf8', cwd: folder, timeout: 300_000 },
  );
  if (install.status !== 0) {
    console.log(
      `skipped: the real declarations of VS Code could not be installed (${install.stderr.trim().slice(0, 200)})`,
    );
    test(`this test needs the npm registry for the declarations of VS Code (${version})`, () => undefined);
    continue;
  }
  test(`the snippet for VS Code compiles with the real declarations of vscode-languageclient ${version}`, () => {
    copyFileSync(join(root, 'protocol/clients/editors/vscode.ts'), join(folder, 'vscode.ts'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...options, '--skipLibCheck', 'vscode.ts'],
      { encoding: 'utf8', cwd: folder },
    );
    assert.is(status, 0, stdout);
  });
}

test.run();
