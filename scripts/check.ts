// The complete check: types (which the build has already checked), lint, format, generated files, then every test file
// in its own process. Prints the failures and ends with `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTests } from './bundle-tests.ts';
import { commandLine } from './command-line.ts';
import type { ProtocolDocument } from './generate/dialect.ts';
import { writeLintSettings } from './lint/settings.ts';
import { neverSeen, trafficVariable } from './sent-fields.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const help = `
npm test          checks types, lint, format and generated files, and runs every test
npm run test:long runs the long tests

Both accept "-- --only TEXT", which runs only test files with this text in their path. To run one file without this
script: node --import ./dist/test/support/object-details.js dist/test/FILE.test.js`;

const { values: flags } = commandLine(help, {
  options: { long: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const fileTimeoutMs = flags.long ? 40 * 60_000 : 8 * 60_000;

/**
 * The time in ms that a test process may take to end after its last line of output. During this time the process
 * removes its files, which is slow on a busy disk.
 */
const lingerMs = 60_000;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Makes a directory that this process removes at its end. */
function scratchDirectory(prefix: string): string {
  const directory = mkdtempSync(prefix);
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The module with which uvu prints every error. */
const printableErrors = new URL('../test/support/object-details.js', import.meta.url).href;

/** The directory in which each test process records the parts of the protocol that it saw in frames. */
const traffic = scratchDirectory(join(tmpdir(), 'checkpointd-traffic-'));

/** The test files about requests, commands and stored data. They need no disk, and their files may be in memory. */
const needingNoDisk =
  /^dist\/test\/(checkpoints|cli|clients?|commands|conversation|daemon|git|protocol|remote|rpc|session|store|strategies|tree|wire)\//;

/** The free space in bytes that the directory in memory must have. */
const memoryBytesMin = 2 ** 31;

/**
 * Makes a directory in memory for the files of these tests. On a disk, new files are slow while the file system
 * still avoids the inodes of deleted files. Returns undefined if the system has no large directory in memory, or does
 * not run programs from there.
 */
function directoryInMemory(): string | undefined {
  const shared = '/dev/shm';
  if (!existsSync(shared)) return undefined;
  const { bavail, bsize } = statfsSync(shared);
  if (Math.min(bavail * bsize, freemem()) < memoryBytesMin) return undefined;
  // Some tests run programs without the rights of root in this directory. Sockets need short paths.
  const directory = scratchDirectory(join(shared, 'ckpt-'));
  chmodSync(directory, 0o755);
  const program = join(directory, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(program).status === 0 ? directory : undefined;
}

const memory = directoryInMemory();

/**
 * The environment without the certificates, which only npm needs. Each start of Node would need 30 ms to read the
 * certificates, and a run starts Node thousands of times.
 */
const { NODE_EXTRA_CA_CERTS: _certificates, ...offline } = process.env;
const environmentOf = (file: string): NodeJS.ProcessEnv =>
  readFileSync(join(root, file), 'utf8').includes("'npm'") ? process.env : offline;

/** The test files that measure times or peaks of memory, and therefore run alone. */
const measuring = /\/(conversation-cost|conversation-memory|sqlite-store-large)\.long\.js$/;

/**
 * The test files that take longest. These files run first, so that the check does not have to wait for them at its end.
 * If this list lacks a slow file, a complete run prints a note with the file's name.
 */
const slowest = new Set(
  `answering-path app at-rest background busy capturer carrier checkpoint-revert-oracle client
  client-package conformance console end-deletion-killed ends examples execute-after-commit execute-errors
  fast-scan fetched-lines-lying generators git-store guarded-store-damage hook hook-agents hook-killed
  imported-line keyed-kills keyed-opening keys kill-points killed-between killed-client
  killed-first-capture killed-restores known-files large-repository local-suite meaning more-inputs
  orphans package packed-records packing packing-killed program python restorer-faults rounds rust
  sessions-delete shadow-suite silence sqlite-store sqlite-store-crash together-model torture
  torture-checker torture-clients travel travel-killed tree-paths upgrade walks watch-audit
  wire-limits`.split(/\s+/),
);
const isSlowest = (file: string): boolean => slowest.has(basename(file).replace(/\..*/, ''));

/** If a test file takes more than this share of the whole run, it belongs in `slowest`. */
const slowPart = 0.04;

interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  readonly output: string;
}

/** A check that runs in one process, and passes or fails as a whole. */
function gate(name: string, command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', ({ message }) => (output += message));
    child.on('close', (code) => {
      const failed = code === 0 ? 0 : 1;
      const seconds = (performance.now() - started) / 1000;
      resolve({ name, passed: 1 - failed, failed, seconds, output: failed === 0 ? '' : output });
    });
  });
}

function testFiles(): string[] {
  const all = readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' });
  const wanted = flags.long ? '.long.js' : '.test.js';
  return all
    .map((file) => join('dist/test', file))
    .filter((file) => file.endsWith(wanted) && file.includes(flags.only ?? ''))
    .sort((a, b) => Number(isSlowest(b)) - Number(isSlowest(a)) || (a < b ? -1 : 1));
}

/**
 * Replaces positions in compiled files by positions in their sources. Test processes do not replace their own
 * positions, because they would then start more slowly.
 */
function inSources(output: string): string {
  return output.replaceAll(/(?:file:\/\/)?(\/\S+?\.js):(\d+):(\d+)/g, (place, file: string, line, column) => {
    if (!existsSync(`${file}.map`)) return place;
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
    const found = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in found)) return place;
    return `${join(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

/**
 * Runs one test file. The test runner uvu prints `Total`, `Passed` and `Skipped`. If a file prints none of this, the
 * script assumes that its tests did not run.
 */
function runFile(file: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const started = performance.now();
    const program = join(root, bundles.get(file) ?? file);
    const child = spawn(process.execPath, ['--import', printableErrors, program], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environmentOf(file),
        CHECKPOINTD_NO_DAEMON: '1',
        ...(needingNoDisk.test(file) && !measuring.test(file) && memory !== undefined
          ? { TMPDIR: memory }
          : {}),
        FORCE_COLOR: '0',
        [trafficVariable]: traffic,
      },
    });
    let output = '';
    // A test process that does not end after its tests has left a resource open. After a short wait, the check reports
    // the test file as failed.
    let lingering: NodeJS.Timeout | undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (!/^\s*Duration:/m.test(output)) return;
      lingering ??= setTimeout(() => {
        output += `\nkilled: the tests were done, and the process did not end within ${lingerMs / 1000} s`;
        child.kill('SIGKILL');
      }, lingerMs);
    });
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => {
      output += `\nkilled: no end within ${fileTimeoutMs / 1000} s`;
      child.kill('SIGKILL');
    }, fileTimeoutMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      clearTimeout(lingering);
      const number = (label: string): number =>
        [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'gm'))].reduce(
          (sum, match) => sum + Number(match[1]),
          0,
        );
      const total = number('Total');
      const passed = number('Passed');
      const skipped = number('Skipped');
      const broken = code !== 0 || total === 0;
      const failed = Math.max(total - passed - skipped, broken ? 1 : 0);
      const seconds = (performance.now() - started) / 1000;
      const notes = output.split('\n').filter((line) => /^\s*(skipped|note):/i.test(line));
      const name = relative('dist', file);
      resolve({ name, passed, failed, seconds, output: failed > 0 ? inSources(output) : notes.join('\n') });
    });
  });
}

/** Runs the checks in the order of the list, at most `width` of them at the same time. */
async function runAll(checks: readonly (() => Promise<Outcome>)[], width: number): Promise<void> {
  const queue = [...checks];
  const worker = async (): Promise<void> => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) report(await check());
  };
  await Promise.all(Array.from({ length: width }, worker));
}

let passed = 0;
let failed = 0;
const failures: string[] = [];
const slow: Outcome[] = [];
function report(outcome: Outcome): void {
  passed += outcome.passed;
  failed += outcome.failed;
  const mark = outcome.failed === 0 ? 'ok  ' : 'FAIL';
  console.log(`${mark} ${outcome.name} (${outcome.passed} passed, ${outcome.seconds.toFixed(1)} s)`);
  if (outcome.failed > 0) failures.push(outcome.name);
  if (outcome.name.startsWith('test/') && !isSlowest(outcome.name)) slow.push(outcome);
  if (outcome.output.trim() !== '') console.log(outcome.output.trimEnd());
}

/** Returns the checks of lint, format and generated files. */
function gates(): (() => Promise<Outcome>)[] {
  const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
  const lintArguments = ['-c', writeLintSettings(root), '--ignore-pattern', 'src/protocol', '--type-aware'];
  const generator = join(root, 'dist/scripts/generate-protocol.js');
  return [
    () => gate('lint', bin('oxlint'), [...lintArguments, '--deny-warnings', 'src', 'test', 'scripts']),
    () => gate('format', bin('biome'), ['check', 'src', 'test', 'scripts']),
    () => gate('generated files', process.execPath, [generator, '--check']),
  ];
}

const all = testFiles();
if (all.length === 0) {
  console.error(`No test file has "${flags.only}" in its path.`);
  process.exit(2);
}
const isWhole = !flags.long && flags.only === undefined;
const bundles: ReadonlyMap<string, string> = isWhole ? await bundleTests(root, all) : new Map();
const [measured, others] = [true, false].map((is) =>
  all.filter((file) => measuring.test(file) === is).map((file) => () => runFile(file)),
);
// Short tests mostly wait for timers, git and the disk. The number of short tests that run at once may therefore exceed
// the number of processors. Long tests keep a processor busy.
const width = Math.min(availableParallelism(), 6) + (flags.long ? 0 : 2);
const startedMs = performance.now();
await runAll([...(isWhole ? gates() : []), ...(others ?? [])], width);
const slowSeconds = (slowPart * (performance.now() - startedMs)) / 1000;
if (flags.only === undefined)
  for (const { name, seconds } of slow.filter((one) => one.seconds > slowSeconds))
    console.log(`note: ${name} took ${seconds.toFixed(0)} s and belongs to \`slowest\` of scripts/check.ts`);
await runAll(measured ?? [], 1);
if (isWhole) {
  const document = JSON.parse(readFileSync(join(root, 'protocol/protocol.json'), 'utf8')) as ProtocolDocument;
  const { never, excused } = neverSeen(document, traffic);
  const output = [
    ...never.map((name) => `declared, but no test sends it: ${name}`),
    `note: ${excused.length} fields need not be sent by a test (scripts/sent-fields.ts)`,
  ].join('\n');
  const failed = never.length === 0 ? 0 : 1;
  report({ name: 'declared and sent', passed: 1 - failed, failed, seconds: 0, output });
}
if (failures.length > 0) console.log(`\nfailed:\n  ${failures.join('\n  ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
