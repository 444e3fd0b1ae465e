// Packs the npm package, unpacks it in another project, and compiles and runs programs there that use the client.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('the npm package and its types work when they are installed in another project', () => {
  const elsewhere = temporaryDirectory('package');
  const modules = join(elsewhere, 'node_modules');
  mkdirSync(modules);
  const npm = spawnSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', elsewhere], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  assert.is(npm.status, 0, npm.stderr);
  const [packed] = JSON.parse(npm.stdout) as { filename: string; files: { path: string }[] }[];
  assert.ok(packed !== undefined);
  execFileSync('tar', ['-xzf', packed.filename], { cwd: elsewhere });
  execFileSync('mv', ['package', 'node_modules/checkpointd'], { cwd: elsewhere });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  // Puts only the package's dependencies beside the package, as npm would do, but without the network.
  for (const name of Object.keys(manifest.dependencies)) {
    const place = join(modules, name);
    mkdirSync(dirname(place), { recursive: true }); // the name of a package may contain a scope, which is a directory
    symlinkSync(join(root, 'node_modules', name), place);
  }
  const program = `
    import { CheckpointdClient, CheckpointdRequestError, type SessionOpenResult } from 'checkpointd/client';
    const client = await CheckpointdClient.start();
    const opened: SessionOpenResult = await client.request('session/open', { workspace: process.argv[2] ?? '', storageDir: process.argv[3] ?? '', init: 'force' });
    // @ts-expect-error a field of the wrong type
    const wrong: Promise<unknown> = client.request('session/close', { session: 7 });
    const kind = await wrong.catch((error: unknown) => error instanceof CheckpointdRequestError ? error.kind : 'none');
    console.log(opened.base?.tag, kind, await client.close());
  `;
  writeFileSync(join(elsewhere, 'program.mts'), program);
  const readme = readFileSync(join(root, 'protocol/clients/README.md'), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? 'the README of the clients has no example';
  writeFileSync(join(elsewhere, 'example.mts'), example);
  const tasks = readFileSync(join(root, 'protocol/clients/EXAMPLES.md'), 'utf8');
  const names = [...tasks.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ''], index) => {
    writeFileSync(join(elsewhere, `task-${index}.mts`), code);
    return `task-${index}.mts`;
  });
  assert.ok(names.length > 5);
  mkdirSync(join(modules, '@types'));
  symlinkSync(join(root, 'node_modules/@types/node'), join(modules, '@types/node'));
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict'];
  const compiled = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    [...options, 'program.mts', 'example.mts', ...names],
    {
      cwd: elsewhere,
      encoding: 'utf8',
    },
  );
  assert.is(compiled.status, 0, compiled.stdout);
  mkdirSync(join(elsewhere, 'work'));
  const places = [join(elsewhere, 'work'), join(elsewhere, 'storage')];
  const ran = spawnSync(process.execPath, ['program.mjs', ...places], { cwd: elsewhere, encoding: 'utf8' });
  assert.is(ran.stdout, '0 InvalidParams 0\n', ran.stderr);
});

test.run();
