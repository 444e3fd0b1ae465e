// The linter's settings: the rules of .oxlintrc.json and, from the table of layers, the allowed imports.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Layer, layers, packages } from './layers.ts';

const fileModules = ['node:fs', 'node:fs/promises', 'fs', 'fs/promises'];
const seam = 'Every file call passes the seam: import base/files.ts.';

interface Rules {
  $schema?: string;
  overrides: { files: string[] }[];
}

/**
 * Writes the settings for one run of the linter, and returns the path of the file. The file is in dist/, so its globs
 * must match below any directory.
 */
export function writeLintSettings(root: string): string {
  const rules = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as Rules;
  delete rules.$schema;
  const anywhere = (globs: readonly string[]): string[] => globs.map((glob) => `**/${glob}`);
  const settings = {
    ...rules,
    overrides: [
      { files: ['**/src/*.ts'], rules: { 'no-restricted-imports': restriction([], fileModules) } },
      ...layers.map(override),
      { files: ['**/src/base/files.ts'], rules: { 'no-restricted-imports': 'off' } },
      ...rules.overrides.map((each) => ({ ...each, files: anywhere(each.files) })),
    ],
  };
  const file = join(root, 'dist/oxlint.json');
  writeFileSync(file, JSON.stringify(settings, null, 1));
  return file;
}

function override(layer: Layer): object {
  const position = layers.indexOf(layer);
  const above = layers.slice(position + 1).map(({ folder }) => folder);
  const closed = [...above, ...(layer.not ?? [])];
  const places = ['../', '../../', '../../../'];
  const group = closed.flatMap((folder) => places.map((place) => `${place}${folder}/**`));
  for (const place of places) group.push(`${place}daemon.ts`, `${place}main.ts`);
  // Only the daemon must call files through the seam. A client may call node:fs directly.
  const modules = ['client', 'cli'].includes(layer.folder) ? [] : fileModules;
  const patterns = [{ group, message: layer.because }];
  const refused = Object.keys(packages).filter((name) => layer.packages?.includes(name) !== true);
  return {
    files: [`**/src/${layer.folder}/**`],
    rules: { 'no-restricted-imports': restriction(refused, modules, patterns) },
  };
}

function restriction(
  refused: readonly string[],
  modules: readonly string[],
  patterns: readonly object[] = [],
): unknown {
  const paths = [
    ...modules.map((name) => ({ name, message: seam })),
    ...refused.map((name) => ({ name, message: packages[name] })),
  ];
  return ['error', { paths, patterns }];
}
