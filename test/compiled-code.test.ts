// Tests that the cached code of a file is used, because a start without it takes nearly twice as long. Cached code
// must not be used if its source has changed or if the code is damaged.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildRecordOf, runRecorded } from '../src/compiled-code.ts';
import { temporaryDirectory } from './support/temporary.ts';

const dist = fileURLToPath(new URL('../', import.meta.url));

test('a file runs with its cached code until its source changes, even if the new source has the same length', () => {
  const file = join(temporaryDirectory('compiled'), 'answer.cjs');
  writeFileSync(file, 'exports.answer = () => 41;');
  const record = `${file}.record`;
  const run = (): ReturnType<typeof runRecorded> => runRecorded(file, record);
  const first = run();
  assert.is(first.recordings, 0);
  first.record(record);
  const second = run();
  assert.is(second.recordings, 1);
  assert.is((second.exports['answer'] as () => number)(), 41);
  second.record(record);
  assert.is(run().recordings, 2);
  writeFileSync(file, 'exports.answer = () => 42;');
  const changed = run();
  assert.is(changed.recordings, 0);
  assert.is((changed.exports['answer'] as () => number)(), 42);
});

test('a file runs even if its cached code is damaged or unreadable', () => {
  const file = join(temporaryDirectory('compiled'), 'answer.cjs');
  writeFileSync(file, 'exports.answer = (b) => `${[41, "text", /x/]}${b}`;');
  const path = `${file}.record`;
  const first = runRecorded(file, path);
  (first.exports['answer'] as (b: string) => string)('b');
  first.record(path);
  const record = readFileSync(path);
  const assertRunsWithout = (damage: string): void => {
    const { exports, recordings } = runRecorded(file, path);
    assert.is(recordings, 0, damage);
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

/** A package without the record of the build, as if another version of Node had built it, and a new user's directories. */
class ForeignPackage {
  readonly #program: string;
  readonly #work = temporaryDirectory('work');
  readonly #state = temporaryDirectory('state');
  readonly compiled = join(this.#state, 'checkpointd', 'compiled');

  constructor() {
    const top = temporaryDirectory('package');
    cpSync(join(dist, '../package.json'), join(top, 'package.json'));
    const record = basename(buildRecordOf('daemon-code.cjs'));
    const filter = (path: string): boolean => basename(path) !== record;
    cpSync(join(dist, 'program'), join(top, 'dist/program'), { recursive: true, filter });
    symlinkSync(join(dist, '../node_modules'), join(top, 'node_modules'));
    this.#program = join(top, 'dist/program/main.cjs');
    execFileSync('git', ['init', '-q', this.#work]);
  }

  /** Runs a command, and returns the records that exist afterwards. */
  run(...words: string[]): Record<string, number> {
    const env = { ...process.env, XDG_STATE_HOME: this.#state, CHECKPOINTD_NO_DAEMON: '1' };
    const { status, stderr } = spawnSync(process.execPath, [this.#program, ...words], {
      cwd: this.#work,
      env,
      encoding: 'utf8',
    });
    assert.is(status, 0, stderr);
    return this.records();
  }

  /** Returns the names of the records, and the number of processes that made them. */
  records(): Record<string, number> {
    const names = existsSync(this.compiled) ? readdirSync(this.compiled) : [];
    // The byte before the digest of 20 bytes is the number of processes.
    const countOf = (name: string): number => readFileSync(join(this.compiled, name)).at(-21) ?? 0;
    return Object.fromEntries(names.map((name) => [name, countOf(name)]));
  }
}

test('if another version of Node built the package, the first eight commands record their code in the storage', () => {
  const foreign = new ForeignPackage();
  for (let count = 1; count <= 9; count += 1) {
    const records = foreign.run(...(count % 2 === 0 ? ['status'] : ['create']));
    assert.equal(Object.values(records), [Math.min(count, 8)]);
  }
  // The daemon has a record of its own.
  foreign.run('doctor');
  assert.equal(
    Object.values(foreign.records()).sort((a, b) => a - b),
    [1, 8],
  );
});

test('the storage keeps the newest six records of code', () => {
  const foreign = new ForeignPackage();
  foreign.run('create');
  for (let day = 1; day <= 8; day += 1) {
    writeFileSync(join(foreign.compiled, `record${day}`), 'x'.repeat(30));
    utimesSync(join(foreign.compiled, `record${day}`), day, day);
  }
  const left = Object.keys(foreign.run('status'));
  assert.is(left.length, 6);
  assert.equal(left.filter((name) => name.startsWith('record')).sort(), [
    'record4',
    'record5',
    'record6',
    'record7',
    'record8',
  ]);
});

test('a command neither uses nor records code if other users may write to the directory of the records', () => {
  const foreign = new ForeignPackage();
  foreign.run('create');
  rmSync(foreign.compiled, { recursive: true });
  mkdirSync(foreign.compiled);
  chmodSync(foreign.compiled, 0o777);
  assert.equal(foreign.run('create'), {});
});

for (const directory of ['program', 'test-programs'])
  test(`V8 uses the cached code of the daemon in dist/${directory}`, () => {
    const [compiled, daemon] = [join(dist, 'src/compiled-code.js'), join(dist, directory, 'daemon-code.cjs')];
    const words = `import(${JSON.stringify(compiled)}).then(({ buildRecordOf, runRecorded }) =>
      console.log(runRecorded(${JSON.stringify(daemon)}, buildRecordOf(${JSON.stringify(daemon)})).recordings))`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', words], { encoding: 'utf8' });
    assert.match(stdout, /^[1-9]\n$/, stderr);
  });

test.run();
