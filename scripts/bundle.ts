// Bundles the programs that are started often, with their packages. Without bundles the start of the daemon would load
// four hundred files. A module that only one command needs stays a separate file, which the command loads when needed.
// The entry main.cjs is CommonJS, which Node loads faster than modules. It contains all code for hooks and `list`, and
// loads the other modules for all other commands.
//
// The directory dist/program has the shipped files: the program, its threads and the client. The directory
// dist/test-programs has the same daemon with faults for tests.
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

/** The threads. Each one is bundled into a file beside the program that starts it. */
const threads: Readonly<Record<string, string>> = {
  'handles-thread.js': 'src/watch/handles-thread.ts',
  'chokidar-thread.js': 'src/watch/chokidar-thread.ts',
};

/** The two groups of modules that every command loads. They are bundled first, with all their imports. */
const groups = [
  { name: 'client', test: /src\/client\/client\.ts$/ },
  { name: 'command', test: /src\/cli\/(program|commands\/(?!enable|console|inspect|serve)[\w-]+)\.ts$/ },
];

const inOneFile = { codeSplitting: false } as const;

/** The packages that are not bundled: only one command or strategy loads them, or they are not installed everywhere. */
// jsonc-parser loads its own files in a way that a bundler cannot follow.
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

/** Writes the entry, which loads the other modules from its own directory. */
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
