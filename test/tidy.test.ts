// The rules of the house that no linter knows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../', import.meta.url));

function sources(folder: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') }));
}

const src = sources('src').filter(({ name }) => !name.startsWith('src/protocol/'));
const tests = sources('test');

test('every test file runs what it registers: uvu runs nothing, silently, without .run()', () => {
  const files = tests.filter(({ name }) => /\.(test|long)\.ts$/.test(name));
  const silent = files.filter(({ text }) => !/\.run\(\);|storeSuite\(|Suite\(/.test(text));
  assert.equal(
    silent.map(({ name }) => name),
    [],
  );
  assert.ok(files.length > 20);
});

test('every source file opens with what it is for', () => {
  const bare = src.filter(({ text }) => !/^(#!.*\n)?\/\/ /.test(text));
  assert.equal(
    bare.map(({ name }) => name),
    [],
  );
});

test('files are named after what they are, never utils, helpers, common, manager, service or misc', () => {
  const vague = src.filter(({ name }) =>
    /(^|[/-])(utils?|helpers?|common|managers?|services?|misc)([./-]|$)/.test(name),
  );
  assert.equal(
    vague.map(({ name }) => name),
    [],
  );
  const odd = src.filter(({ name }) => !/^src\/[a-z0-9-]+(\/[a-z0-9-]+)*\.ts$/.test(name));
  assert.equal(
    odd.map(({ name }) => name),
    [],
  );
});

test('no test is skipped or focused in passing', () => {
  const marked = tests.filter(
    ({ name, text }) => !name.startsWith('test/tidy') && /\btest\.(skip|only)\(/.test(text),
  );
  assert.equal(
    marked.map(({ name }) => name),
    [],
  );
});

test('the glossary has every word the map uses for a folder, and the map every folder', () => {
  const map = readFileSync(join(root, 'src/README.md'), 'utf8');
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const unmapped = folders.filter(({ name }) => !map.includes(`| \`${name}/\` |`));
  assert.equal(
    unmapped.map(({ name }) => name),
    [],
  );
});

test('nothing names a download address or a path of the machine it was made on', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  assert.not.match(lock, /"resolved":/);
  const texts = [...src, ...tests, ...sources('scripts')].filter(({ text }) => text.includes(`${root}src`));
  assert.equal(
    texts.map(({ name }) => name),
    [],
  );
});

test.run();
