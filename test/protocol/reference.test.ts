// Tests that REFERENCE.md is easy to read: the guide is short, every message in it is valid, and every link has a
// target.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validateErrorData, validateParams, validateResult } from '../../src/protocol/validators.ts';
import { protocol, root } from './document.ts';

const text = readFileSync(join(root, 'protocol/REFERENCE.md'), 'utf8');

/** Counts the words that people read. Leaves out the marks of tables and the targets of links. */
function wordsIn(part: string): number {
  const plain = part.replace(/\]\(#[^)]*\)/g, ']').replace(/<[^>]*>/g, '');
  return plain.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

const wordsAMinute = 250;

const guide = text.slice(text.indexOf('\n## Guide\n'), text.indexOf('\n## Words\n'));

test('the tables of the reference can be read in an hour, and its types in half an hour', () => {
  const at = text.indexOf('\n## Types\n');
  const tables = (wordsIn(text.slice(0, at)) - wordsIn(guide)) / wordsAMinute;
  const types = wordsIn(text.slice(at)) / wordsAMinute;
  console.log(`note: ${tables.toFixed(0)} minutes of tables, ${types.toFixed(0)} of types`);
  assert.ok(tables > 20 && tables <= 60, `${tables} minutes`);
  assert.ok(types <= 30, `${types} minutes`);
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly data: { readonly issues?: readonly unknown[] } };
}

const messageOf = (json: string): Message => JSON.parse(json) as Message;

test('the guide can be read in 25 minutes', () => {
  const minutes = wordsIn(guide) / 200;
  console.log(`note: the guide takes ${minutes.toFixed(0)} minutes`);
  assert.ok(minutes > 8 && minutes <= 25, `${minutes} minutes`);
});

test('every message in the guide is valid, except requests whose refusal the guide shows', () => {
  const methods = new Map<unknown, string>();
  const blocks = [...guide.matchAll(/```json\n(.*)\n```/g)].map(([, json = '']) => json);
  for (const [at, json] of blocks.entries()) {
    const { id, method, params, result, error } = messageOf(json);
    const refused = messageOf(blocks[at + 1] ?? '{}').error?.data.issues ?? [];
    if (id !== undefined && method !== undefined) methods.set(id, method);
    const issues =
      method !== undefined
        ? validateParams(method, params)
        : error === undefined
          ? validateResult(methods.get(id) ?? '', result)
          : validateErrorData(error.data);
    assert.equal(issues, method === undefined ? [] : refused, json);
    assert.ok(method === undefined || protocol.methods.some(({ name }) => name === method), json);
  }
  assert.ok(blocks.length > 25);
});

test('every link in the reference leads to a heading or to a row of a table', () => {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );
  const anchors = new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)]);
  const dead = [...text.matchAll(/\]\(([^)]*)\)/g)].flatMap(([, target = '']) =>
    target.startsWith('#') && anchors.has(target.slice(1)) ? [] : [target],
  );
  assert.equal(dead, []);
});

test('the reference lists every method and type, and every error with its code', () => {
  for (const { name } of protocol.methods) assert.ok(text.includes(`\n### ${name}\n`), name);
  for (const { name, code } of protocol.errors)
    assert.ok(text.includes(`| ${code} | <a id="${name.toLowerCase()}">`), name);
});

test('the reference names only files that its readers have', () => {
  const files = [...text.matchAll(/`([\w./-]+\.(?:md|json|ts|py|rs))`/g)].map(([, file = '']) => file);
  const theirs = /^(session\.json|owner\.json|README\.md|src\/|a\.txt)/;
  const here = ['schema.json', 'openrpc.json', 'metaModel.json', 'protocol.json', 'clients/scenarios.json'];
  assert.equal(
    [...new Set(files)].filter((file) => !here.includes(file) && !theirs.test(file)),
    [],
  );
});

test.run();
