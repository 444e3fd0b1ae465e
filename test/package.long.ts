// Packs the package, installs it elsewhere and starts it, as a user would.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from './support/in-process-daemon.ts';
import { temporaryDirectory } from './support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The files of the clients of this version, and the snippets for editors. */
const clients = [
  'clients/README.md',
  'clients/scenarios.json',
  'clients/editors/neovim.lua',
  'clients/editors/emacs.el',
  'clients/editors/vscode.ts',
  'clients/agents/roo-code.ts',
  'clients/agents/cline.ts',
  'clients/agents/task-session.ts',
  'clients/python/pyproject.toml',
  'clients/python/checkpointd/client.py',
  'clients/python/checkpointd/py.typed',
  'clients/rust/Cargo.toml',
  'clients/rust/src/lib.rs',
  'clients/rust/src/types.rs',
];

/** Returns a clone that is not built yet. The clone shares our `node_modules`, so nothing is downloaded. */
function freshClone(place: string): string {
  const clone = join(place, 'clone');
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const name of names.split('\0').filter((each) => existsSync(join(root, each)) && each !== ''))
    cpSync(join(root, name), join(clone, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction');
  // With this old date of the lock file, the setup does not install the packages again.
  utimesSync(join(clone, 'package-lock.json'), 0, 0);
  return clone;
}

function packFresh(place: string): string {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', place], {
    cwd: freshClone(place),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
}

/** Returns those links and images of a page that lead to a file. */
function linksOf(page: string): string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(https?:|mailto:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ''));
}

test('a package that is built in a clone and installed elsewhere works, and all its links are valid', () => {
  const place = temporaryDirectory('package');
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const tarball = packFresh(place);
  writeFileSync(join(place, 'package.json'), '{ "name": "elsewhere", "private": true, "type": "module" }');
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', tarball);
  const installed = join(place, 'node_modules/checkpointd');
  const carried = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  assert.equal(
    carried.filter((name) => /(^|\/)(test|tests|target|__pycache__|conformance|scripts)(\/|$)/.test(name)),
    [],
    'no tests, and nothing that was built by the way',
  );
  for (const name of [
    'protocol.json',
    'schema.json',
    'openrpc.json',
    'metaModel.json',
    'REFERENCE.md',
    ...clients,
  ])
    assert.ok(carried.includes(`protocol/${name}`), `${name} is not in the package`);
  const dead = carried
    .filter((name) => name.endsWith('.md') && !name.startsWith('node_modules/'))
    .flatMap((name) =>
      linksOf(join(installed, name))
        .filter((target) => !existsSync(join(installed, dirname(name), target)))
        .map((target) => `${name}: ${target}`),
    );
  assert.equal(dead, [], 'links that lead nowhere');
  for (const name of carried.filter((each) => each.endsWith('.js.map'))) {
    const { sources } = JSON.parse(readFileSync(join(installed, name), 'utf8')) as { sources: string[] };
    for (const source of sources)
      assert.ok(existsSync(join(installed, dirname(name), source)), `${name} tells of ${source}`);
  }
  assert.match(run(join(place, 'node_modules/.bin/checkpointd'), '--version'), /^checkpointd \d+\.\d+\.\d+/);
  const script = `
    import { CheckpointdClient } from 'checkpointd/client';
    const command = ${JSON.stringify(join(place, 'node_modules/.bin/checkpointd'))};
    const client = await CheckpointdClient.start({ command, env: { ...process.env, XDG_STATE_HOME: ${JSON.stringify(join(place, 'state'))} } });
    const { session, base } = await client.request('session/open', { workspace: ${JSON.stringify(repository())} });
    const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
    console.log(base.tag, checkpoint.tag, await client.close());`;
  writeFileSync(join(place, 'try.js'), script);
  assert.is(run(process.execPath, 'try.js').trim(), '0 1 0');
  const schema = `
    import { createRequire } from 'node:module';
    console.log(createRequire(import.meta.url)('checkpointd/protocol/schema.json').$schema);`;
  writeFileSync(join(place, 'schema.js'), schema);
  assert.match(run(process.execPath, 'schema.js'), /json-schema\.org/);
  rmSync(join(place, 'node_modules/libsql'), { recursive: true });
  const without = `
    import { CheckpointdClient } from 'checkpointd/client';
    const client = await CheckpointdClient.start({ env: { ...process.env, XDG_STATE_HOME: ${JSON.stringify(join(place, 'state'))} } });
    const sqlite = client.server.capabilities.checkpointd.sessions.strategies.find(({ name }) => name === 'sqlite');
    const open = client.request('session/open', { workspace: ${JSON.stringify(repository())}, strategy: 'sqlite' });
    const { kind, message } = await open.catch((error) => error);
    console.log(sqlite.available, sqlite.reason === message, kind, await client.close());`;
  writeFileSync(join(place, 'without.js'), without);
  assert.is(run(process.execPath, 'without.js').trim(), 'false true StrategyUnavailable 0');
});

test('installing from a checkout works as the README describes', () => {
  if (spawnSync('npm', ['ping'], { stdio: 'ignore' }).status !== 0)
    return console.log('skipped: needs the registry of npm');
  const place = temporaryDirectory('checkout');
  const clone = freshClone(place);
  rmSync(join(clone, 'node_modules')); // a new clone has no build yet
  const line = /^(.*npm install --global .*?) +# .*checkout/m.exec(
    readFileSync(join(root, 'README.md'), 'utf8'),
  )?.[1];
  assert.ok(line);
  const prefix = join(place, 'prefix');
  execFileSync('sh', ['-c', line.replace('/path/to/checkout', '.')], {
    cwd: clone,
    env: { ...process.env, npm_config_prefix: prefix },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const program = join(prefix, 'bin/checkpointd');
  assert.match(execFileSync(program, ['--version'], { encoding: 'utf8' }), /^checkpointd \d+\./);
});

test.run();
