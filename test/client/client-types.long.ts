// Compiles the types of the package with older and newer versions of TypeScript, without special settings. The compiler
// checks every declaration.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const program = `
import { CheckpointdClient, CheckpointdRequestError, type RestoreResult } from 'checkpointd/client';
export async function back(tag: string): Promise<RestoreResult | undefined> {
  await using client = await CheckpointdClient.start({ args: ['--storage-dir=/tmp/x'], env: { HOME: '/tmp' }, trace: 'off' });
  client.on('checkpoint/didCreate', ({ checkpoint }) => console.log(checkpoint.tag));
  await client.notify('$/setTrace', { value: 'verbose' });
  try {
    const { session } = await client.request('session/open', { workspace: '/tmp/work' });
    return await client.request('checkpoint/restore', { session, tag }, { signal: AbortSignal.timeout(1000) });
  } catch (error) {
    if (error instanceof CheckpointdRequestError && error.kind === 'UnknownCheckpoint') return undefined;
    throw error;
  }
}
// @ts-expect-error a tag is text
void back(1);
`;

test('every declaration of the client compiles with TypeScript 5.4, 5.9 and the newest version', () => {
  const place = temporaryDirectory('types');
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  writeFileSync(join(place, 'package.json'), '{ "name": "elsewhere", "private": true, "type": "module" }');
  const compilers = ['5.4', '5.9', 'latest'];
  npm(
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '@types/node@20',
    ...compilers.map((version) => `ts-${version}@npm:typescript@${version}`),
  );
  npm('pack', root, '--ignore-scripts', '--silent');
  const tarball = readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', tarball], { cwd: place });
  renameSync(join(place, 'package'), join(place, 'node_modules/checkpointd'));
  mkdirSync(join(place, 'src'));
  writeFileSync(join(place, 'src/program.ts'), program);
  for (const version of compilers)
    for (const module of [{ module: 'nodenext' }, { module: 'esnext', moduleResolution: 'bundler' }]) {
      const compilerOptions = {
        noEmit: true,
        strict: true,
        skipLibCheck: false,
        target: 'es2022',
        lib: ['es2022', 'esnext.disposable'],
        types: [],
        ...module,
      };
      writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
      const compiler = join(place, `node_modules/ts-${version}/bin/tsc`);
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', place], { encoding: 'utf8' });
      assert.is(status, 0, `${version} ${module.module}: ${stdout}`);
    }
});

test.run();
