// The snippet for VS Code compiles. With a wrong name in it, the snippet does not compile. The test does not run VS
// Code.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const snippet = join(root, 'protocol/clients/editors/vscode.ts');

function compile(file: string): { status: number | null; stdout: string } {
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--skipLibCheck',
    '--types',
    '',
  ];
  return spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...options,
      file,
      join(root, 'test/hosts/vscode-ambient.d.ts'),
    ],
    { encoding: 'utf8', cwd: tmpdir() },
  );
}

test('the snippet for VS Code is type-checked', () => {
  const { status, stdout } = compile(snippet);
  assert.is(status, 0, stdout);
});

test('the compiler reports a mistake in the snippet for VS Code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpointd-vscode-'));
  try {
    const copy = join(folder, 'vscode.ts');
    writeFileSync(copy, readFileSync(snippet, 'utf8').replace('showQuickPick', 'showQuickPeek'));
    assert.match(compile(copy).stdout, /showQuickPeek/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
