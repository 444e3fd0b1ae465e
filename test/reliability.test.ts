// Compares the table of faults with the titles of the tests, so that neither contradicts the other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const here = fileURLToPath(new URL('../../test/', import.meta.url));
const rows = new Map(
  [...readFileSync(join(here, 'RELIABILITY.md'), 'utf8').matchAll(/^\| (F\d+) \| .+ \| (.+) \|$/gm)].map(
    ([, fault = '', tried = '']) => [fault, tried],
  ),
);
const named = new Set(
  readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(test|long)\.ts$|suite[a-z-]*\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(join(here, file), 'utf8').matchAll(/\bF\d{1,3}\b/g)])
    .map(([fault]) => fault),
);

test('each fault in RELIABILITY.md is named by a test, or has a reason why it is not tested', () => {
  assert.ok(rows.size > 60);
  const claimed = [...rows].filter(([fault, tried]) => tried === 'yes' && !named.has(fault));
  assert.equal(claimed, []);
  const silent = [...rows].filter(([, tried]) => !/^(yes$|not tried.{10,}|covered by .{3,})/.test(tried));
  assert.equal(silent, []);
});

test('the table of RELIABILITY.md contains each fault that occurs in the title of a test', () => {
  assert.equal(
    [...named].filter((fault) => !rows.has(fault)),
    [],
  );
});

test.run();
