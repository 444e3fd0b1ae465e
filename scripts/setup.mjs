// Makes a fresh clone ready: installs the locked dependencies and compiles, each only when needed.
// Plain JavaScript on purpose: it runs before there is a compiler. It never touches anything outside the clone.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`checkpointd needs Node 20.19 or later; this is ${process.version}.`);
  process.exit(2);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const mtime = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
const installed = join(root, 'node_modules', '.package-lock.json');
if (mtime(installed) < mtime(join(root, 'package-lock.json'))) run('npm', ['ci', '--no-audit', '--no-fund']);

// A full compile takes about a second; `tsc` decides by itself what is stale, but a file that was
// deleted from `src` must not live on in `dist`, so `--build` starts from nothing.
if (process.argv.includes('--build')) rmSync(join(root, 'dist'), { recursive: true, force: true });
run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', root]);
