// Makes a fresh clone ready for use: installs the locked dependencies and compiles the sources, each only when needed.
// This script is plain JavaScript, because it runs before the compiler is installed. The script never touches files
// outside the clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
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
    // Writes nothing to stdout, because npm prints the list of packed files there for other programs.
    stdio: ['ignore', 2, 'inherit'],
    env: { ...process.env, CHECKPOINTD_SETUP: '1' },
    shell: process.platform === 'win32',
  });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const mtime = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
const installed = join(root, 'node_modules', '.package-lock.json');
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

// npm runs `prepare` after an install in the clone, and before it packs the clone for an install from git. With
// --prepare, this script compiles with the packages that npm has installed, and installs nothing. If this script itself
// has started `npm ci`, it compiles further below.
if (process.argv.includes('--prepare')) {
  if (process.env.CHECKPOINTD_SETUP !== undefined) process.exit(0);
  if (!existsSync(compiler)) {
    console.error('checkpointd was not compiled: the development dependencies are not installed.');
    process.exit(0);
  }
} else if (mtime(installed) < mtime(join(root, 'package-lock.json')) || !existsSync(compiler)) {
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
}

// Removes the old output, because `tsc` would keep the output of deleted sources. A full compile takes about
// a second. Keeps the inspector's page, because the page's bundler itself empties the page's directory when
// needed.
if (process.argv.includes('--build') && existsSync(join(root, 'dist')))
  for (const name of readdirSync(join(root, 'dist')))
    if (name !== 'inspector') rmSync(join(root, 'dist', name), { recursive: true, force: true });
run(process.execPath, [compiler, '-p', root]);

// The sources of the bundled programs. The programs are built only when a source is newer, because a rebuild removes
// them for a moment. A torture test, a bench or a daemon may be using them at that time.
const sources = ['src', 'test'].flatMap((directory) =>
  readdirSync(join(root, directory), { recursive: true }).map((file) => join(root, directory, file)),
);
const others = ['src', 'test', 'scripts/bundle.ts', 'package-lock.json'].map((path) => join(root, path));
const madeLast = join(root, 'dist', 'program', 'main.cjs');
if ([...sources, ...others].some((file) => mtime(file) >= mtime(madeLast)))
  run(process.execPath, [join(root, 'dist', 'scripts', 'bundle.js')]);
run(process.execPath, [join(root, 'dist', 'scripts', 'build-inspector.js')]);
