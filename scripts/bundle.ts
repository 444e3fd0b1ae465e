// Bundles the programs that are started often, with their packages. Without bundles, the daemon would load four hundred
// files when it starts. If only one command needs a module, the module stays a separate file, and this command loads
// the file. The entry main.cjs is CommonJS, which Node loads faster than modules. This entry contains all code for
// hooks and `list`. For every other command, the entry loads further modules.
//
// The daemon is one CommonJS file, because Node 20 can use recorded code (compiled by V8 earlier) only for such a file
// (src/compiled-code.ts). This script records the code while the daemon serves short sessions.
//
// The directory dist/program has the shipped files: the program, its threads and the client. The directory
// dist/test-programs has the same daemon with faults for tests.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { noticesOf } from './notices.ts';
import { recordCode } from './record-code.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The modules that are loaded without recorded code. */
const modules: Readonly<Record<string, string>> = {
  program: 'src/cli/program.ts',
  resting: 'src/resting.ts',
  keeper: 'src/cli/hooks/keeper.ts',
  client: 'src/client/client.ts',
};

interface Daemons {
  /** The module whose bundle has recorded code. */
  readonly from: string;
  /** The texts of small files, by file name. Each file runs one function of the bundle. */
  readonly starters: Readonly<Record<string, string>>;
  /** The function that starts the daemon whose code is recorded. */
  readonly recorded: string;
}

const daemons: Readonly<Record<string, Daemons>> = {
  program: {
    from: 'src/run-daemon.ts',
    starters: { 'run-daemon': 'exports.runDaemon = daemon.runDaemon;' },
    recorded: 'runDaemon',
  },
  'test-programs': {
    from: 'test/support/programs/test-daemons.ts',
    starters: {
      'planned-daemon': 'daemon.plannedDaemon();',
      'faulty-daemon': 'daemon.faultyDaemon();',
      'killed-daemon': 'daemon.killedDaemon();',
    },
    recorded: 'plannedDaemon',
  },
};

/** The threads. Each thread is bundled into a file beside the program that starts it. */
const threads: Readonly<Record<string, string>> = {
  'handles-thread.js': 'src/watch/handles-thread.ts',
  'chokidar-thread.js': 'src/watch/chokidar-thread.ts',
};

/**
 * The two groups of modules that every command loads. These modules are bundled first, with everything that they
 * import.
 */
const groups = [
  { name: 'client', test: /src\/client\/client\.ts$/ },
  { name: 'command', test: /src\/cli\/(program|commands\/(?!enable|console|inspect|serve)[\w-]+)\.ts$/ },
];

/** The file of the daemon in each directory. */
const daemonCode = 'daemon-code.cjs';

const inOneFile = { codeSplitting: false } as const;

/**
 * Makes the entry load the daemon with require() instead of import(). For an import, Node would also load its parser of
 * modules.
 */
const requiredDaemon: Plugin = {
  name: 'required-daemon',
  renderChunk: (code) => code.replace('import("./run-daemon.cjs")', 'require("./run-daemon.cjs")'),
};

/**
 * The packages that are not bundled. Such a package is loaded by only one command or strategy, or is not installed
 * everywhere.
 */
// jsonc-parser loads its own files in a way that a bundler cannot follow.
const packagesApart = [/^libsql/, /^jsonc-parser/, /^@modelcontextprotocol\//, /^@inquirer\//, /^ws$/];

for (const [directory, { from, starters, recorded }] of Object.entries(daemons)) {
  const to = join(root, 'dist', directory);
  rmSync(to, { recursive: true, force: true });
  const bundled = await writeCommon({ daemon: from }, join(to, daemonCode));
  bundled.push(...(await writeCommon({ starter: 'src/compiled-code.ts' }, join(to, 'compiled-code.cjs'))));
  for (const [name, text] of Object.entries(starters))
    writeFileSync(join(to, `${name}.cjs`), starterOf(text));
  for (const [file, source] of Object.entries(threads))
    bundled.push(...(await write({ thread: source }, { file: join(to, file), ...inOneFile, format: 'esm' })));
  if (directory === 'program') bundled.push(...(await writeModules(to)));
  writeFileSync(join(to, 'THIRD-PARTY.txt'), noticesOf(root, bundled));
  await recordCode(join(to, daemonCode), recorded);
}
await writeMain(join(root, 'dist/program'));

/** Returns a program that runs a function of the bundled daemon. */
function starterOf(text: string): string {
  const file = `require('node:path').join(__dirname, '${daemonCode}')`;
  return `const daemon = require('./compiled-code.cjs').runCompiled(${file}).exports;\n${text}\n`;
}

/**
 * Writes one CommonJS file, which loads packages with require(). The file's code is strict, like the code of the
 * modules in the file.
 */
function writeCommon(input: Readonly<Record<string, string>>, file: string): Promise<string[]> {
  const strict = { intro: "'use strict';", dynamicImportInCjs: false };
  return write(input, { file, ...inOneFile, format: 'cjs', ...strict });
}

function writeModules(to: string): Promise<string[]> {
  return write(modules, {
    dir: to,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name].js',
    codeSplitting: { groups },
    format: 'esm',
  });
}

/** Writes the entry, which loads the daemon and the other modules from its own directory. */
async function writeMain(to: string): Promise<void> {
  const names = [...Object.keys(modules), 'run-daemon'];
  const nameOf = (id: string): string | undefined => names.find((name) => id.endsWith(`/${name}.ts`));
  await write(
    { main: 'src/main.ts' },
    {
      file: join(to, 'main.cjs'),
      ...inOneFile,
      format: 'cjs',
      paths: (id) => {
        const name = nameOf(id);
        return name === undefined ? id : `./${name}.${name in modules ? 'js' : 'cjs'}`;
      },
      plugins: [requiredDaemon],
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
