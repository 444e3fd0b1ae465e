// Times side by side, in one run: every strategy over stdio, and the sequence of git commands of Q CLI, on generated
// work trees. Prints a table of medians with their ratio to git, and writes everything as JSON when asked. It judges
// nothing: a machine's numbers are for people to read.
//
//   npm run bench [-- --sizes 30,1000,10000,100000] [--strategies shadow,local,sqlite] [--checkpoints 100] [--edits 0,20,200,2000]
//                       [--repeats 11] [--json FILE]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Contender, DaemonContender, GitContender } from './bench/contenders.ts';
import { GeneratedTree } from './bench/generated-tree.ts';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '30,1000,10000,100000' },
    edits: { type: 'string', default: '0,20,200,2000' },
    strategies: { type: 'string', default: 'shadow,local,sqlite' },
    checkpoints: { type: 'string', default: '100' },
    repeats: { type: 'string', default: '11' },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (flags.help) {
  console.log(
    'npm run bench [-- --sizes 30,1000,10000,100000] [--strategies shadow,local,sqlite]\n              [--checkpoints 100] [--edits 0,20,200,2000] [--repeats 11] [--json FILE]',
  );
  process.exit(0);
}
const sizes = numbers(flags.sizes);
/** So many files are edited before a create, beside the one that is always measured. */
const editCounts = numbers(flags.edits);
const strategies = flags.strategies.split(',').filter(Boolean);
const checkpoints = Math.max(2, Number(flags.checkpoints));
const repeats = Number(flags.repeats);
const scratch = mkdtempSync(join(tmpdir(), 'checkpointd-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

/** Of one contender on one tree: milliseconds of each try, and bytes. */
interface Measured {
  readonly name: string;
  readonly firstCapture: readonly number[];
  readonly create: readonly number[];
  /** By the number of files that were edited before. */
  readonly createAfter: Readonly<Record<string, readonly number[]>>;
  readonly hasChanges: readonly number[];
  readonly diff: readonly number[];
  readonly restore: readonly number[];
  readonly wait: readonly number[];
  readonly diskBytes: number;
  readonly rssBytes?: number;
  readonly highestRssBytes?: number;
}

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Where a terminal looks on, says what runs; elsewhere a line each half minute, so that a log shows it lives. */
function progress(step: string): void {
  const now = performance.now();
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${step}`);
  else if (now - toldMs > 30_000) process.stderr.write(`${Math.round(now / 1000)} s: ${step}\n`);
  else return;
  toldMs = now;
}
let toldMs = 0;

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * Measures all contenders on one tree. Their creates take turns over the same edits, so that a machine that is busy
 * for a while is so for all of them.
 */
async function measure(contenders: readonly Contender[], tree: GeneratedTree): Promise<Measured[]> {
  const tries = contenders.map((contender) => ({ contender, firstCapture: [0], create: [] as number[] }));
  for (const of of tries) {
    if (of.contender instanceof DaemonContender) await of.contender.start();
    progress(`first capture by ${of.contender.name}`);
    of.firstCapture = [await timed(() => of.contender.open())];
    if (of.contender instanceof DaemonContender) await of.contender.untilWatched();
  }
  for (let i = 0; i < checkpoints; i += 1) {
    tree.edit();
    progress(`create ${i + 1} of ${checkpoints}`);
    for (const { contender, create } of tries) create.push(await timed(() => contender.create()));
  }
  const createAfter = await measureEdits(contenders, tree);
  const measured: Measured[] = [];
  for (const { contender, firstCapture, create } of tries) {
    const diskBytes = contender.diskBytes();
    const hasChanges: number[] = [];
    for (let i = 0; i < repeats; i += 1) hasChanges.push(await timed(() => contender.hasChanges()));
    const diff: number[] = [];
    const restore: number[] = [];
    const wait: number[] = [];
    for (let i = 0; i < repeats; i += 1) {
      progress(`${contender.name}: diff and restore ${i + 1} of ${repeats}`);
      diff.push(await timed(() => contender.diff()));
      tree.edit();
      const waited = await contender.wait();
      if (waited !== undefined) wait.push(waited);
      restore.push(await timed(() => contender.restore())); // to before that edit, as the others know the tree
    }
    const memory = contender.memory();
    measured.push({
      name: contender.name,
      firstCapture,
      create,
      createAfter: createAfter.get(contender) ?? {},
      hasChanges,
      diff,
      restore,
      wait,
      diskBytes,
      ...(memory === undefined ? {} : { rssBytes: memory.rssBytes, highestRssBytes: memory.highestBytes }),
    });
    await contender.close();
  }
  return measured;
}

/** Creates after several edits, in turns as well; a tree that is too small for so many is left out. */
async function measureEdits(
  contenders: readonly Contender[],
  tree: GeneratedTree,
): Promise<Map<Contender, Record<string, number[]>>> {
  const measured = new Map<Contender, Record<string, number[]>>(contenders.map((one) => [one, {}]));
  for (const count of editCounts.filter((edits) => edits <= tree.files)) {
    for (let i = 0; i < repeats; i += 1) {
      progress(`create after ${count} edits, ${i + 1} of ${repeats}`);
      for (let edits = 0; edits < count; edits += 1) tree.edit();
      for (const [contender, times] of measured)
        (times[count] ??= []).push(await timed(() => contender.create()));
    }
  }
  return measured;
}

interface Row {
  readonly label: string;
  readonly unit: 'ms' | 'MB';
  readonly of: (measured: Measured) => number | undefined;
}

const megabyte = 1024 * 1024;
const rows: readonly Row[] = [
  { label: 'first capture', unit: 'ms', of: ({ firstCapture }) => median(firstCapture) },
  { label: 'create after one edit', unit: 'ms', of: ({ create }) => median(create) },
  ...editCounts.map(
    (count): Row => ({
      label: `create after ${count.toLocaleString('en')} edits`,
      unit: 'ms',
      of: ({ createAfter }) => (createAfter[count] === undefined ? undefined : median(createAfter[count])),
    }),
  ),
  { label: 'hasChanges, nothing changed', unit: 'ms', of: ({ hasChanges }) => median(hasChanges) },
  { label: 'diff of the last two', unit: 'ms', of: ({ diff }) => median(diff) },
  { label: 'restore of one file', unit: 'ms', of: ({ restore }) => median(restore) },
  {
    label: 'longest wait meanwhile',
    unit: 'ms',
    of: ({ wait }) => (wait.length === 0 ? undefined : Math.max(...wait)),
  },
  { label: `disk after ${checkpoints} checkpoints`, unit: 'MB', of: ({ diskBytes }) => diskBytes / megabyte },
  { label: 'memory (highest RSS)', unit: 'MB', of: (m) => m.highestRssBytes && m.highestRssBytes / megabyte },
];

function print(files: number, all: readonly Measured[]): void {
  const git = all.find(({ name }) => name === 'git');
  console.log(`\n${files.toLocaleString('en')} files (median, and times the git sequence of Q CLI)`);
  console.log([''.padEnd(28), ...all.map(({ name }) => name.padStart(18))].join(''));
  for (const { label, unit, of } of rows) {
    const base = git === undefined ? undefined : of(git);
    const cells = all.map((measured) => {
      const value = of(measured);
      if (value === undefined) return '–'.padStart(18);
      const ratio = measured === git || base === undefined ? '' : ` ×${(value / base).toFixed(2)}`;
      return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}${ratio}`.padStart(18);
    });
    console.log([label.padEnd(28), ...cells].join(''));
  }
}

async function main(): Promise<void> {
  const results: { files: number; contenders: Measured[] }[] = [];
  for (const files of sizes) {
    const directory = join(scratch, String(files));
    progress(`making ${files.toLocaleString('en')} files`);
    const tree = new GeneratedTree(join(directory, 'work'), files);
    const contenders: Contender[] = [
      new GitContender(tree.root, directory),
      ...strategies.map((strategy) => new DaemonContender(strategy, tree.root, directory)),
    ];
    const measured = await measure(contenders, tree);
    results.push({ files, contenders: measured });
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    print(files, measured);
    rmSync(directory, { recursive: true, force: true });
  }
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(report(results), null, 2)}\n`);
}

function report(results: readonly { files: number; contenders: readonly Measured[] }[]): object {
  return {
    date: new Date().toISOString(),
    node: process.version,
    git: execFileSync('git', ['--version'], { encoding: 'utf8' }).trim(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    checkpoints,
    results: results.map(({ files, contenders }) => {
      const git = contenders.find(({ name }) => name === 'git');
      return {
        files,
        contenders: contenders.map((measured) => ({
          ...measured,
          medians: Object.fromEntries(rows.map(({ label, of }) => [label, of(measured)])),
          timesGit: Object.fromEntries(
            rows.map(({ label, of }) => [
              label,
              (of(measured) ?? Number.NaN) / ((git && of(git)) || Number.NaN),
            ]),
          ),
        })),
      };
    }),
  };
}

await main();
