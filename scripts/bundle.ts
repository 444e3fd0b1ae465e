// Bundles the programs that are started often, with their packages. Without bundles, the daemon would load four hundred
// files when it starts. The entry main.cjs is CommonJS, which Node loads faster than modules. This entry contains all
// code for hooks, and for `list` while a daemon has the session open.
//
// The daemon and the commands are one CommonJS file. Node 20 can use recorded code (compiled by V8 earlier) only for
// CommonJS files (src/compiled-code.ts). This script records the code while the daemon serves short sessions and while
// commands run. A command without a running daemon uses most of the daemon's code in its own process.
//
// The directory dist/program has the shipped files: the program, its threads and the client. The directory
// dist/test-programs has the same daemon with faults for tests.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { noticesOf } from './notices.ts';
import { recordCode } from './record-code.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The modules that are loaded without recorded code. */
const modules: Readonly<Record<string, string>> = {
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
  /** The function that runs a command, if the bundle has the commands. */
  readonly commands?: string;
}

const daemons: Readonly<Record<string, Daemons>> = {
  program: {
    from: 'src/programs.ts',
    starters: {
      'run-daemon': 'exports.runDaemon = compiled.startDaemon;',
      program: 'exports.runCommand = compiled.startCommand;',
    },
    recorded: 'startDaemon',
    commands: 'startCommand',
  },
  'test-programs': {
    from: 'test/support/programs/test-daemons.ts',
    starters: {
      'planned-daemon': 'compiled.plannedDaemon();',
      'faulty-daemon': 'compiled.faultyDaemon();',
      'killed-daemon': 'compiled.killedDaemon();',
    },
    recorded: 'plannedDaemon',
  },
};

/** The threads. Each thread is bundled into a file beside the program that starts it. */
const threads: Readonly<Record<string, string>> = {
  'handles-thread.js': 'src/watch/handles-thread.ts',
  'chokidar-thread.js': 'src/watch/chokidar-thread.ts',
  'reading-thread.js': 'src/capture/reading-thread.ts',
};

/** The file of the daemon in each directory. */
const daemonCode = 'daemon-code.cjs';

const inOneFile = { codeSplitting: false } as const;

/**
 * Changes the entry, so that it loads the daemon with require() instead of import(). For an import, Node would also
 * load its parser of modules.
 */
const required: Plugin = {
  name: 'required',
  renderChunk: (code) => code.replace(/import\("(\.\/[\w-]+\.cjs)"\)/g, 'require("$1")'),
};

/**
 * The packages that are not bundled. Such a package is loaded by only one command or strategy, or is not installed
 * everywhere.
 */
// jsonc-parser loads its own files in a way that a bundler cannot follow.
const packagesApart = [/^libsql/, /^jsonc-parser/, /^@modelcontextprotocol\//, /^@inquirer\//, /^ws$/];
const isApart = (id: string): boolean => packagesApart.some((name) => name.test(id));

/**
 * If a package is not bundled, loads the package when a module that imports it runs, and not earlier. Otherwise the
 * bundled file would load all these packages at its start.
 */
const loadedLate: Plugin = {
  name: 'loaded-late',
  resolveId: (id, importer) => {
    if (!isApart(id)) return null;
    return importer?.startsWith(late) === true ? { id, external: true } : `${late}${id}`;
  },
  load: (id) => {
    if (!id.startsWith(late)) return null;
    // If the package is a module with a default export, require() returns an object with `default` and `__esModule`.
    return `const found = require('${id.slice(late.length)}');
      module.exports = found.__esModule === true && 'default' in found ? found.default : found;`;
  },
};
const late = '\0late:';

for (const [directory, { from, starters, recorded, commands }] of Object.entries(daemons)) {
  const to = join(root, 'dist', directory);
  rmSync(to, { recursive: true, force: true });
  const bundled = await writeCommon({ daemon: from }, join(to, daemonCode));
  bundled.push(...(await writeCommon({ starter: 'src/compiled-code.ts' }, join(to, 'compiled-code.cjs'))));
  for (const [name, text] of Object.entries(starters))
    writeFileSync(join(to, `${name}.cjs`), starterOf(name, text));
  for (const [file, source] of Object.entries(threads))
    bundled.push(...(await write({ thread: source }, { file: join(to, file), ...inOneFile, format: 'esm' })));
  if (directory === 'program') bundled.push(...(await writeModules(to)));
  writeFileSync(join(to, 'THIRD-PARTY.txt'), noticesOf(root, bundled));
  await recordCode(join(to, daemonCode), recorded, commands);
}
await writeMain(join(root, 'dist/program'));

/** Returns a program that runs a function of the bundled file. */
function starterOf(name: string, text: string): string {
  const file = `require('node:path').join(__dirname, '${daemonCode}')`;
  return `const compiled = require('./compiled-code.cjs').runCompiled(${file}, '${name}');\n${text}\n`;
}

/**
 * Writes one CommonJS file, which loads packages with require(). The file runs in strict mode, as the modules in it do.
 */
async function writeCommon(input: Readonly<Record<string, string>>, file: string): Promise<string[]> {
  const strict = { intro: "'use strict';", dynamicImportInCjs: false };
  const bundled = await write(input, { file, ...inOneFile, format: 'cjs', ...strict }, () => false, [
    loadedLate,
  ]);
  writeFileSync(file, inAscii(readFileSync(file, 'utf8')));
  return bundled;
}

/**
 * Writes characters beyond ASCII as escapes. They occur only in literals and comments. V8 keeps an ASCII source with one
 * byte for each character, which saves 5 ms of each start.
 */
function inAscii(code: string): string {
  if (code.includes('String.raw')) throw new Error('an escape in a raw string would change the string');
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function writeModules(to: string): Promise<string[]> {
  return write(modules, {
    dir: to,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name].js',
    format: 'esm',
  });
}

/** Writes the entry, which loads the daemon and the other modules from its own directory. */
async function writeMain(to: string): Promise<void> {
  const names = [...Object.keys(modules), 'run-daemon', 'program'];
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
      plugins: [required],
    },
    (id) => isApart(id) || nameOf(id) !== undefined,
  );
}

/** Writes the bundle of these programs. Resolves with the files whose code is in the bundle. */
async function write(
  input: Readonly<Record<string, string>>,
  output: OutputOptions,
  isOther: (id: string) => boolean = isApart,
  plugins: readonly Plugin[] = [],
): Promise<string[]> {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: isOther,
    plugins: [...plugins],
  });
  const written = await bundle.write(output);
  await bundle.close();
  return written.output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
}
