// REFERENCE.md as a reader has it: short enough to be read, whole enough to follow every link.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { protocol, root } from './document.ts';

const text = readFileSync(join(root, 'protocol/REFERENCE.md'), 'utf8');

/** Words as one reads them: no marks of tables, no targets of links. */
function wordsIn(part: string): number {
  const plain = part.replace(/\]\(#[^)]*\)/g, ']').replace(/<[^>]*>/g, '');
  return plain.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

const wordsAMinute = 250;

test('what is to be read takes an hour at most, and the types to look up half of that', () => {
  const at = text.indexOf('\n## Types\n');
  const [reading, types] = [text.slice(0, at), text.slice(at)].map((part) => wordsIn(part) / wordsAMinute);
  console.log(`note: ${reading?.toFixed(0)} minutes to read, ${types?.toFixed(0)} of types`);
  assert.ok(reading !== undefined && reading > 20 && reading <= 60, `${reading} minutes`);
  assert.ok(types !== undefined && types <= 30, `${types} minutes`);
});

test('every link leads to a heading or a row', () => {
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

test('it has every method, error with its code, and type', () => {
  for (const { name } of protocol.methods) assert.ok(text.includes(`\n### ${name}\n`), name);
  for (const { name, code } of protocol.errors)
    assert.ok(text.includes(`| ${code} | <a id="${name.toLowerCase()}">`), name);
});

test('it names no file that a reader does not have beside it', () => {
  const files = [...text.matchAll(/`([\w./-]+\.(?:md|json|ts|py|rs))`/g)].map(([, file = '']) => file);
  const theirs = /^(session\.json|README\.md|src\/|a\.txt)/;
  const here = ['schema.json', 'openrpc.json', 'metaModel.json', 'protocol.json', 'clients/scenarios.json'];
  assert.equal(
    [...new Set(files)].filter((file) => !here.includes(file) && !theirs.test(file)),
    [],
  );
});

test.run();
