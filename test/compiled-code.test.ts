// Tests that the cached code of a file is used, because a start without it takes nearly twice as long. Cached code
// must not be used if its source has changed or if the code is damaged.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCompiled } from '../src/compiled-code.ts';
import { temporaryDirectory } from './support/temporary.ts';

const dist = fileURLToPath(new URL('../', import.meta.url));

test('a file runs with its cached code until its source changes, even if the new source has the same length', () => {
  const file = join(temporaryDirectory('compiled'), 'answer.cjs');
  writeFileSync(file, 'exports.answer = () => 41;');
  const first = runCompiled(file);
  assert.not.ok(first.isRecorded);
  first.record();
  const second = runCompiled(file);
  assert.ok(second.isRecorded);
  assert.is((second.exports['answer'] as () => number)(), 41);
  writeFileSync(file, 'exports.answer = () => 42;');
  const changed = runCompiled(file);
  assert.not.ok(changed.isRecorded);
  assert.is((changed.exports['answer'] as () => number)(), 42);
});

test('a file runs even if its cached code is damaged or unreadable', () => {
  const file = join(temporaryDirectory('compiled'), 'answer.cjs');
  writeFileSync(file, 'exports.answer = (b) => `${[41, "text", /x/]}${b}`;');
  const first = runCompiled(file);
  (first.exports['answer'] as (b: string) => string)('b');
  first.record();
  const path = `${file}.${process.version}-${process.arch}`;
  const record = readFileSync(path);
  const assertRunsWithout = (damage: string): void => {
    const { exports, isRecorded } = runCompiled(file);
    assert.not.ok(isRecorded, damage);
    assert.is((exports['answer'] as (b: string) => string)('b'), '41,text,/x/b', damage);
  };
  // V8 does not check the content of cached code. Damaged code could crash the process or compute wrong results.
  for (let at = 0; at < record.length; at += 7) {
    const damaged = Buffer.from(record);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    assertRunsWithout(`byte ${at}`);
    writeFileSync(path, record.subarray(0, at));
    assertRunsWithout(`${at} bytes`);
  }
  rmSync(path);
  mkdirSync(path);
  assertRunsWithout('a directory');
});

for (const directory of ['program', 'test-programs'])
  test(`V8 uses the cached code of the daemon in dist/${directory}`, () => {
    const [compiled, daemon] = [join(dist, 'src/compiled-code.js'), join(dist, directory, 'daemon-code.cjs')];
    const words = `import(${JSON.stringify(compiled)}).then(({ runCompiled }) =>
      console.log(runCompiled(${JSON.stringify(daemon)}).isRecorded))`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', words], { encoding: 'utf8' });
    assert.is(stdout, 'true\n', stderr);
  });

test.run();
