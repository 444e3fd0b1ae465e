// Bundles the programs that are started often, with their packages. A start waits for every file that it loads, and the
// daemon has four hundred files. A module that only one command needs stays a separate file, which the command loads
// when needed. The entries are CommonJS, which Node loads faster than modules. The entry main.cjs contains all code for
// hooks and `list`. For all other commands main.cjs loads the other modules.
//
// The directory dist/program contains the shipped files: the program, its threads and the client. The directory
// dist/test-programs contains the same daemon with the faults that tests install.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputOptions, rolldown } from 'rolldown';
import { noticesOf } from './notices.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const directories: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  program: {
    program: 'src/cli/program.ts',
    'run-daemon': 'src/run-daemon.ts',
    resting: 'src/resting.ts',
    keeper: 'src/cli/hooks/keeper.ts',
    client: 'src/client/client.ts',
  },
  'test-programs': {
    'planned-daemon': 'test/daemon/planned-daemon.ts',
    'faulty-daemon': 'test/support/programs/faulty-daemon.ts',
    'killed-daemon': 'test/support/programs/killed-daemon.ts',
  },
};

/** The threads. Each thread is bundled into a file beside the file that starts the thread. */
const threads: Readonly<Record<string, string>> = {
  'handles-thread.js': 'src/watch/handles-thread.ts',
  'chokidar-thread.js': 'src/watch/chokidar-thread.ts',
};

/** The groups that are bundled first, with all their imports, because every command loads both groups. */
const groups = [
  { name: 'client', test: /src\/client\/client\.ts$/ },
  { name: 'command', test: /src\/cli\/(program|commands\/(?!enable|console|inspect|serve)[\w-]+)\.ts$/ },
];

const inOneFile = { codeSplitting: false } as const;

/**
 * The packages that are not bundled, because only one command or strategy loads them or because they are not installed
 * everywhere.
 */
// The package jsonc-parser loads its own files in a way that no bundler can follow.
const packagesApart = [/^libsql/, /^jsonc-parser/, /^@modelcontextprotocol\//, /^@inquirer\//, /^ws$/];

for (const [directory, programs] of Object.entries(directories)) {
  const to = join(root, 'dist', directory);
  rmSync(to, { recursive: true, force: true });
  const modules = await write(programs, {
    dir: to,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name].js',
    codeSplitting: { groups },
    format: 'esm',
  });
  for (const [file, source] of Object.entries(threads))
    modules.push(...(await write({ thread: source }, { file: join(to, file), ...inOneFile, format: 'esm' })));
  writeFileSync(join(to, 'THIRD-PARTY.txt'), noticesOf(root, modules));
}

await writeMain(join(root, 'dist/program'), directories['program'] ?? {});

/** Writes the entry, which finds the modules beside it. */
async function writeMain(to: string, modules: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(modules);
  const nameOf = (id: string): string | undefined => names.find((name) => id.endsWith(`/${name}.ts`));
  await write(
    { main: 'src/main.ts' },
    {
      file: join(to, 'main.cjs'),
      ...inOneFile,
      format: 'cjs',
      paths: (id) => (nameOf(id) === undefined ? id : `./${nameOf(id)}.js`),
    },
    (id) => nameOf(id) !== undefined,
  );
}

/** Writes the bundle of these programs. Resolves with the files whose code is in the bundle. */
async function write(
  input: Readonly<Record<string, string>>,
  output: OutputOptions,
  isApart: (id: string) => boolean = () => false,
): Promise<string[]> {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: (id) => packagesApart.some((name) => name.test(id)) || isApart(id),
  });
  const written = await bundle.write(output);
  await bundle.close();
  return written.output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
}
