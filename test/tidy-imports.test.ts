// Checks rules for imports that the linter does not check.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

type Graph = ReadonlyMap<string, readonly string[]>;

/** Returns for each file of src the files that it imports, including type imports. */
function imports(): Graph {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const importsOf = (name: string): string[] => {
    const text = readFileSync(join(source, name), 'utf8');
    const found = text.matchAll(
      /^(?:(?:import|export)\b[^;']*|\} )from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
    );
    return [...found].map(([, at, later]) => join(dirname(name), at ?? later ?? ''));
  };
  return new Map(names.map((name) => [name, importsOf(name)]));
}

/** Returns every file that imports itself through other files, with the chain of these files. */
function circles(graph: Graph): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    const start = way.indexOf(name);
    if (start >= 0) found.push([...way.slice(start), name].join(' → '));
    if (start >= 0 || done.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...way, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return found;
}

test('the check finds a circle of imports between two or more files', () => {
  const found = (graph: Record<string, string[]>): string[] => circles(new Map(Object.entries(graph)));
  assert.equal(found({ a: ['b'], b: ['c'], c: [] }), []);
  assert.equal(found({ a: ['b'], b: ['a'] }), ['a → b → a']);
  assert.equal(found({ a: ['b'], b: ['c'], c: ['d', 'b'], d: [] }), ['b → c → b']);
});

test('no files of src import each other in a circle, not even through types', () => {
  const graph = imports();
  assert.ok([...graph.values()].flat().length > 1000, 'imports are found');
  assert.equal(circles(graph), []);
});

test('the daemon answers initialize without loading code for git, store and capture', () => {
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = readFileSync(join(source, name), 'utf8');
    for (const [, at = ''] of text.matchAll(/^(?:(?:import|export) (?!type )[^;']*|\} )from '(\.[^']+)'/gm))
      load(join(dirname(name), at));
  };
  load('serve.ts');
  assert.ok(loaded.has('rpc/capabilities.ts'), 'imports are found');
  assert.equal(
    [...loaded].filter((name) => /^(git|capture|restore|commands|checkpoints|store\/git)\//.test(name)),
    [],
  );
});

/** Lower this number if you can, and never raise it. */
const smallPartsMax = 16;

test('only few files of under 40 lines have a single importer, because such code belongs in the importer', () => {
  const graph = imports();
  const importers = (name: string): number =>
    [...graph.values()].filter((imported) => imported.includes(name)).length;
  const lines = (name: string): number => readFileSync(join(source, name), 'utf8').split('\n').length - 1;
  const small = [...graph.keys()]
    .filter((name) => !name.startsWith('protocol/'))
    .filter((name) => lines(name) < 40 && importers(name) === 1);
  console.log(`note: ${small.length} small files with one importer: ${small.join(' ')}`);
  assert.ok(small.length <= smallPartsMax, `${small.length}: ${small.join(' ')}`);
});

test.run();
