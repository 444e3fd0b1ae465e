// The package as a stranger gets it: packed, installed elsewhere, started.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from './support/household.ts';
import { temporaryDirectory } from './support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The clients of this very version, and the editors' snippets. */
const clients = [
  'clients/README.md',
  'clients/scenarios.json',
  'clients/editors/neovim.lua',
  'clients/editors/emacs.el',
  'clients/editors/vscode.ts',
  'clients/python/pyproject.toml',
  'clients/python/checkpointd/client.py',
  'clients/python/checkpointd/py.typed',
  'clients/rust/Cargo.toml',
  'clients/rust/src/lib.rs',
  'clients/rust/src/types.rs',
];

test('npm pack gives something that runs when installed elsewhere', () => {
  const place = temporaryDirectory('package');
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', place], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const tarball = readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(place, 'package.json'), '{ "name": "elsewhere", "private": true, "type": "module" }');
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', `./${tarball}`);
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
  assert.match(run(join(place, 'node_modules/.bin/checkpointd'), '--version'), /^checkpointd \d+\.\d+\.\d+/);
  const script = `
    import { CheckpointdClient } from 'checkpointd/client';
    const client = await CheckpointdClient.start({ env: { ...process.env, XDG_STATE_HOME: ${JSON.stringify(join(place, 'state'))} } });
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

test.run();
