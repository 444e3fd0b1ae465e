// Writes every projection of protocol/protocol.json, or with --check says which committed ones are stale. It knows
// the list of projections and nothing of their form: each is a file of scripts/generate/.
//
//   node dist/scripts/generate-protocol.js [--check]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { GeneratedFile, ProtocolDocument } from './generate/dialect.ts';
import { jsonSchema } from './generate/json-schema.ts';
import { metaModel } from './generate/meta-model.ts';
import { openRpc } from './generate/open-rpc.ts';
import { pythonTypes } from './generate/python-types.ts';
import { rustTypes } from './generate/rust-types.ts';
import { typescriptMethods } from './generate/typescript-methods.ts';
import { typescriptTypes } from './generate/typescript-types.ts';
import { typescriptValidators } from './generate/typescript-validators.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: flags } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const projections: readonly ((document: ProtocolDocument) => GeneratedFile)[] = [
  typescriptTypes,
  typescriptMethods,
  typescriptValidators,
  jsonSchema,
  openRpc,
  metaModel,
  pythonTypes,
  rustTypes,
];

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const document = JSON.parse(readFileSync(join(root, 'protocol/protocol.json'), 'utf8')) as ProtocolDocument;
const stale: string[] = [];
for (const project of projections) {
  const file = project(document);
  if (contentOf(file.path) === file.content) continue;
  stale.push(file.path);
  if (flags.check) continue;
  mkdirSync(dirname(join(root, file.path)), { recursive: true });
  writeFileSync(join(root, file.path), file.content);
}
for (const path of stale) console.log(`${flags.check ? 'stale' : 'wrote'} ${path}`);
if (flags.check && stale.length > 0) {
  console.log('Run `npm run generate` and commit the result.');
  process.exitCode = 1;
}
