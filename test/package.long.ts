// The package as a stranger gets it: packed, installed elsewhere, started.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from './support/household.ts';
import { temporaryDirectory } from './support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

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
  assert.not(existsSync(join(place, 'node_modules/checkpointd/test')), 'no tests in the package');
  assert.match(run(join(place, 'node_modules/.bin/checkpointd'), '--version'), /^checkpointd \d+\.\d+\.\d+/);
  const script = `
    import { CheckpointdClient } from 'checkpointd/client';
    const client = await CheckpointdClient.start({ env: { ...process.env, XDG_STATE_HOME: ${JSON.stringify(join(place, 'state'))} } });
    const { session, base } = await client.request('session/open', { workspace: ${JSON.stringify(repository())} });
    const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
    console.log(base.tag, checkpoint.tag, await client.close());`;
  writeFileSync(join(place, 'try.js'), script);
  assert.is(run(process.execPath, 'try.js').trim(), '0 1 0');
});

test.run();
