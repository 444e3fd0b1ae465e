// Writes all files that are generated from protocol/protocol.json (its projections). Each generated file has a program
// in scripts/generate/. With --check, only prints the names of committed files that are outdated. With --freeze, writes
// the shape of a new major version; the compatibility check compares later documents with this shape. Never overwrites
// a frozen shape.
//
// node dist/scripts/generate-protocol.js [--check | --freeze] [--root DIR]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { frozenShape } from './generate/dialect.ts';
import { lintDialect } from './generate/dialect-lint.ts';
import { projections } from './generate/projections.ts';
import { readDocument } from './read-document.ts';

const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    freeze: { type: 'boolean', default: false },
    root: { type: 'string', default: fileURLToPath(new URL('../../', import.meta.url)) },
  },
});

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(join(flags.root, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(path: string, content: string, flag: 'w' | 'wx'): void {
  mkdirSync(dirname(join(flags.root, path)), { recursive: true });
  writeFileSync(join(flags.root, path), content, { flag });
}

const document = readDocument(flags.root);
const problems = lintDialect(document);
for (const problem of problems) console.log(`protocol.json: ${problem}`);
if (problems.length > 0) process.exit(1);

const stale: string[] = [];
for (const project of projections) {
  const file = project(document);
  if (contentOf(file.path) === file.content) continue;
  stale.push(file.path);
  if (!flags.check) write(file.path, file.content, 'w');
}
for (const path of stale) console.log(`${flags.check ? 'stale' : 'wrote'} ${path}`);
if (flags.check && stale.length > 0) {
  console.log('Run `npm run generate` and commit the result.');
  process.exitCode = 1;
}
if (flags.freeze) {
  const major = document.protocolVersion.split('.')[0];
  write(`protocol/versions/${major}.json`, `${JSON.stringify(frozenShape(document), undefined, 1)}\n`, 'wx');
}
