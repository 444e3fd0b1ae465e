// Tests that the command line joins a daemon of another version if that daemon has the session open.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareVersions, OtherProtocol } from '../../src/cli/reach.ts';
import { CheckpointdClient } from '../../src/client/client.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Installs this package in another directory as npm would, under another version number. */
function installedAs(version: string, rig: DaemonRig, changed?: (file: string) => void): string {
  const place = join(rig.top, `checkpointd-${version}`);
  mkdirSync(place);
  cpSync(join(root, 'dist/program'), join(place, 'dist/program'), { recursive: true });
  cpSync(join(root, 'protocol'), join(place, 'protocol'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, version }));
  const programs = join(place, 'dist/program');
  for (const name of readdirSync(programs)) if (/\.c?js$/.test(name)) changed?.(join(programs, name));
  return join(programs, 'main.cjs');
}

async function beside(rig: DaemonRig, entry: string, body: () => Promise<void>): Promise<void> {
  const client = await CheckpointdClient.start({
    command: process.execPath,
    args: [entry, ...rig.args()],
    env: rig.environment,
  });
  try {
    const { session } = await client.request('session/open', { workspace: rig.work, retention: 'keep' });
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'by the other version' });
    await body();
  } finally {
    await client.close();
  }
}

test('if a daemon has another version, a command says so and continues', () =>
  withRig((rig) =>
    beside(rig, installedAs('0.0.9', rig), async () => {
      for (const words of [['list'], ['create', '-m', 'by this one'], ['restore', '1', '--yes']]) {
        const ran = await rig.command(...words);
        assert.is(ran.code, 0, ran.stderr);
        assert.match(ran.stderr, /the daemon of this session is checkpointd 0\.0\.9 and this command is \d/);
      }
    }),
  ));

test('if a daemon has another major protocol version, a command says so in one line, and sends no request', () =>
  withRig((rig) => {
    const renumber = (file: string): void =>
      writeFileSync(file, readFileSync(file, 'utf8').replace(/(protocolVersion = )"1[^"]*"/, '$1"2.0"'));
    return beside(rig, installedAs('2.0.0', rig, renumber), async () => {
      const ran = await rig.command('create');
      assert.is(ran.code, 1);
      assert.match(
        ran.stderr,
        /^checkpointd: the daemon .* is checkpointd 2\.0\.0 and speaks protocol 2\.0, but .*\n$/,
      );
    });
  }));

test('a command accepts a later protocol with the same major version', () => {
  compareVersions({ serverInfo: { name: 'checkpointd', version: '9' }, protocolVersion: '1.7' });
  const other = { serverInfo: { name: 'checkpointd', version: '9' }, protocolVersion: '10.0' };
  assert.throws(
    () => compareVersions(other),
    (error: unknown) => error instanceof OtherProtocol,
  );
});

test('a newer client finds the keeper that an older version started, even if no hook has written a note about the keeper', () =>
  withRig(async (rig) => {
    const older = spawn(process.execPath, [installedAs('0.0.9', rig), 'create', `--storage=${rig.storage}`], {
      cwd: rig.work,
      env: rig.environment,
      stdio: 'ignore',
    });
    assert.is(await new Promise((resolve) => older.on('close', resolve)), 0);
    const ran = await rig.command('list');
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^\[1\]/m);
  }));

test.run();
