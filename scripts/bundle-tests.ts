// Bundles the test files that run a daemon in their own process. Each of these files imports some 250 modules. In a
// bundle, a test process loads these modules in a third of the time.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/** The modules whose importers run a daemon in their own process. */
const daemonRigs = /from '[./]+\/(?:support\/(?:in-process-daemon|machines|session-rig)|src\/daemon)\.js'/;

/** The modules that belong to almost every bundled test. The page and the commands have large packages of their own. */
const shared = /\/src\/(?!cli\/|client\/|inspector\/)/;

/**
 * Bundles those of the test files that run a daemon in their own process. Returns the path of the bundle of each bundled
 * file. All paths are relative to `root`, and have compiled code.
 */
export async function bundleTests(
  root: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const directory = 'dist/bundled';
  const chosen = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    // A test that inspects its own process finds the code of each module by the module's path.
    return daemonRigs.test(text) && !text.includes("'node:inspector'");
  });
  const sourceOf = (file: string): string => join(root, relative('dist', file).replace(/\.js$/, '.ts'));
  const nameOf = (file: string): string => relative('dist', file).replace(/\.js$/, '');
  // A module finds files beside its own compiled file.
  const placed: Plugin = {
    name: 'placed',
    transform: (code, id) => {
      if (!code.includes('import.meta.url')) return null;
      const compiled = join(root, 'dist', relative(root, id)).replace(/\.ts$/, '.js');
      const placed = JSON.stringify(pathToFileURL(compiled).href);
      return { code: code.replaceAll('import.meta.url', placed), map: null }; // all lines stay
    },
  };
  const bundle = await rolldown({
    input: Object.fromEntries(chosen.map((file) => [nameOf(file), sourceOf(file)])),
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
    plugins: [placed],
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: join(root, directory),
    format: 'esm',
    sourcemap: true,
    codeSplitting: { groups: [{ name: 'shared', test: shared }] },
  });
  return new Map(chosen.map((file) => [file, join(directory, `${nameOf(file)}.js`)]));
}
