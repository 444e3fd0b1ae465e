// Compares the statuses in the table with the titles of the tests, so that neither contradicts the other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const here = fileURLToPath(new URL('../../test/', import.meta.url));

/** The status of each item in the table. */
const statuses = new Map<string, string>();
for (const line of readFileSync(join(here, 'specification.md'), 'utf8').split('\n')) {
  const cells = /^\| ([QCRO]\d+) \| (.+) \| (.+) \|$/.exec(line);
  if (cells?.[1] !== undefined && cells[3] !== undefined) statuses.set(cells[1], cells[3]);
}

/** The items that the titles of tests mention. A title is the first argument of `test(` or of a helper. */
const named = new Map<string, string>();
for (const file of readdirSync(here, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(test|long)\.ts$|suite[a-z-]*\.ts$/.test(file)) continue;
  const source = readFileSync(join(here, file), 'utf8');
  for (const [, title] of source.matchAll(
    /\b(?:test|check|property|it|suite|only)\w*(?:\.skip)?\(\s*(?:\w+,\s*)?[`'"]([^\n]*)/g,
  )) {
    for (const [item] of (title ?? '').matchAll(/\b[QCRO]\d{1,2}\b/g)) named.set(item, file);
  }
}

test('the table has each of the 142 items once', () => {
  const wanted = [...range('Q', 47), ...range('C', 37), ...range('R', 28), ...range('O', 30)];
  assert.equal([...statuses.keys()], wanted);
});

test('each item has one of four statuses, and each status except served has an explanation', () => {
  for (const [item, status] of statuses) {
    assert.match(status, /^(served|replaced: .{10,}|console: .{10,}|not ours: .{10,})$/, item);
  }
});

test('each item with the status served or replaced is named in the title of a test', () => {
  const missing = [...statuses].filter(
    ([item, status]) => /^(served|replaced)/.test(status) && !named.has(item),
  );
  assert.equal(
    missing.map(([item]) => item),
    [],
  );
});

test('the table contains each item that occurs in the title of a test', () => {
  assert.equal(
    [...named.keys()].filter((item) => !statuses.has(item)),
    [],
  );
});

function range(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
}

test.run();
