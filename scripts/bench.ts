// Compares every strategy over stdio with the sequence of git commands that Q CLI runs. Measures strategies and git in
// one run, on generated work trees. Prints a table of medians with their ratio to git. Writes all numbers as JSON on
// request. This script does not judge the numbers, because they depend on the machine. `npm run bench -- --help` lists
// the options and their defaults.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CommandLine, emptyProgram } from './bench/commands.ts';
import { type Contender, DaemonContender, GitContender } from './bench/contenders.ts';
import { GeneratedTree } from './bench/generated-tree.ts';
import { measureLarge } from './bench/large.ts';
import {
  type Commands,
  type Measured,
  plot,
  print,
  printLarge,
  printSessions,
  type Resting,
  type Result,
  report,
} from './bench/report.ts';
import { filesInSession, type LongSession, measureLong, measureSessions, timed } from './bench/sessions.ts';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '30,1000,10000,100000' },
    edits: { type: 'string', default: '0,20,200,2000' },
    strategies: { type: 'string', default: 'shadow,local,sqlite' },
    checkpoints: { type: 'string', default: '100' },
    repeats: { type: 'string', default: '11' },
    restores: { type: 'string', default: '1000,2500,40000' },
    removed: { type: 'string', default: '1000' },
    moved: { type: 'string', default: '1000,11000' },
    sessions: { type: 'string', default: '30' },
    rest: { type: 'string', default: '30,10000' },
    long: { type: 'string', default: '1000' },
    large: { type: 'string', default: '200' },
    json: { type: 'string' },
    svg: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (flags.help) {
  console.log(
    'npm run bench [-- --sizes 30,1000,10000,100000] [--strategies shadow,local,sqlite]\n              [--checkpoints 100] [--edits 0,20,200,2000] [--restores 1000,2500,40000]\n              [--removed 1000] [--moved 1000,11000] [--sessions 30] [--rest 30,10000] [--long 1000]\n              [--large 200] [--repeats 11] [--json FILE] [--svg FILE]',
  );
  process.exit(0);
}
const sizes = flags.sizes === '' ? [] : numbers(flags.sizes);
/**
 * The numbers of files to edit before a checkpoint. The benchmark measures each number separately. An edit of one file
 * is always measured, too.
 */
const editCounts = numbers(flags.edits);
/**
 * The numbers of files that differ from the restored checkpoint. The benchmark measures each number separately. A
 * difference of one file is always measured, too.
 */
const restoreCounts = numbers(flags.restores);
/**
 * The numbers of files to delete before a restore, and of files in directories to rename before a restore. The
 * benchmark measures each number separately.
 */
const removedCounts = numbers(flags.removed);
const movedCounts = numbers(flags.moved);
/** The sizes, in files, of the work trees for the measurement of sessions at rest. */
const restSizes = numbers(flags.rest).filter((files) => files > 0);
const strategies = flags.strategies.split(',').filter(Boolean);
const checkpoints = Math.max(2, Number(flags.checkpoints));
const repeats = Number(flags.repeats);
const scratch = mkdtempSync(join(tmpdir(), 'checkpointd-bench-'));
/** Options for removing directories. Repeats the removal, because a background `git gc` may still be writing. */
const gently = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 };
process.on('exit', () => rmSync(scratch, gently));
process.on('SIGINT', () => process.exit(130));

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}

/** Prints the progress. A terminal shows the current step, and a log gets a line every half minute. */
function progress(step: string): void {
  const now = performance.now();
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${step}`);
  else if (now - toldMs > 30_000) process.stderr.write(`${Math.round(now / 1000)} s: ${step}\n`);
  else return;
  toldMs = now;
}
let toldMs = 0;

/**
 * Measures all contenders on one tree. After each edit, one contender after the other makes a checkpoint, so that a
 * busy moment of the machine affects all of them.
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
  const { createAfter, diffAfter } = await measureEdits(contenders, tree);
  const restoreWith =
    (restore: (contender: Contender, files: number) => Promise<number | undefined>) =>
    async (contender: Contender, count: number): Promise<number | undefined> => {
      for (let edits = 0; edits < count; edits += 1) tree.edit();
      await contender.create();
      return restore(contender, count);
    };
  const restoreOf = await measureCounts(
    contenders,
    restoreCounts.filter((count) => count <= tree.files),
    restoreWith((contender, count) => timed(() => contender.restore(count))),
  );
  const restoreWait = await measureCounts(
    contenders,
    restoreCounts.filter((count) => count <= tree.files),
    restoreWith((contender, count) => contender.waitInRestore(count)),
  );
  const restoreRemoved = await measureCounts(
    contenders,
    removedCounts.filter((count) => count <= tree.files),
    async (contender, count) => {
      tree.remove(count);
      return timed(() => contender.restoreLast(count));
    },
  );
  const restoreMoved = await measureCounts(
    contenders,
    movedCounts.filter((count) => count <= tree.files),
    async (contender, count) => {
      const files = tree.move(count);
      return timed(() => contender.restoreLast(files));
    },
  );
  const measured: Measured[] = [];
  const returning: { readonly contender: Contender; readonly reopenLater: number[] }[] = [];
  for (const { contender, firstCapture, create } of tries) {
    const diskBytes = contender.diskBytes();
    const hasChanges: number[] = [];
    for (let i = 0; i < repeats; i += 1) hasChanges.push(await timed(() => contender.hasChanges()));
    const diff: number[] = [];
    const stats: number[] = [];
    const restore: number[] = [];
    const wait: number[] = [];
    for (let i = 0; i < repeats; i += 1) {
      progress(`${contender.name}: diff and restore ${i + 1} of ${repeats}`);
      diff.push(await timed(() => contender.diff()));
      stats.push(await timed(() => contender.stats()));
      tree.edit();
      const waited = await contender.wait();
      if (waited !== undefined) wait.push(waited);
      // Undoes the edit, so that the other contenders never see the edit.
      restore.push(await timed(() => contender.restore(1)));
    }
    const memory = contender.memory();
    progress(`${contender.name}: reopening`);
    await contender.leave();
    const reopen = [await timed(() => contender.reopen())];
    const reopenLater: number[] = [];
    measured.push({
      name: contender.name,
      firstCapture,
      create,
      createAfter: createAfter.get(contender) ?? {},
      diffAfter: diffAfter.get(contender) ?? {},
      hasChanges,
      diff,
      stats,
      restore,
      restoreOf: restoreOf.get(contender) ?? {},
      restoreWait: restoreWait.get(contender) ?? {},
      restoreRemoved: restoreRemoved.get(contender) ?? {},
      restoreMoved: restoreMoved.get(contender) ?? {},
      reopen,
      reopenLater,
      wait,
      diskBytes,
      ...(memory === undefined ? {} : { rssBytes: memory.rssBytes, highestRssBytes: memory.highestBytes }),
    });
    returning.push({ contender, reopenLater });
  }
  await measureReturns(returning);
  return measured;
}

/**
 * Measures clients that come back later, and closes the contenders. Every opening reads the files that changed in the
 * last minute before the last capture. After a pause, a person has no such files. So this function waits until all files
 * are older than a minute, and captures them once more. One wait is enough, because all contenders share the tree.
 */
async function measureReturns(
  returning: readonly { readonly contender: Contender; readonly reopenLater: number[] }[],
): Promise<void> {
  progress('waiting for a minute');
  await setTimeout(62_000);
  for (const { contender, reopenLater } of returning) {
    await contender.create();
    for (let i = 0; i < repeats; i += 1) {
      progress(`${contender.name}: reopening ${i + 1} of ${repeats}`);
      await contender.leave();
      reopenLater.push(await timed(() => contender.reopen()));
    }
    await contender.close();
  }
}

/** The milliseconds of each run, grouped by the number of files. */
type ByCount = Map<Contender, Record<string, number[]>>;

function emptyFor(contenders: readonly Contender[]): ByCount {
  return new Map(contenders.map((contender) => [contender, {}]));
}

/**
 * Measures how long a checkpoint takes after several edits, and how long the diff of these edits takes. Skips a run
 * that would edit more files than the tree has.
 */
async function measureEdits(
  contenders: readonly Contender[],
  tree: GeneratedTree,
): Promise<{ readonly createAfter: ByCount; readonly diffAfter: ByCount }> {
  const createAfter = emptyFor(contenders);
  const diffAfter = emptyFor(contenders);
  for (const count of editCounts.filter((edits) => edits <= tree.files)) {
    for (let i = 0; i < repeats; i += 1) {
      progress(`create after ${count} edits, ${i + 1} of ${repeats}`);
      for (let edits = 0; edits < count; edits += 1) tree.edit();
      for (const [contender, times] of createAfter)
        (times[count] ??= []).push(await timed(() => contender.create()));
      for (const [contender, times] of diffAfter)
        (times[count] ??= []).push(await timed(() => contender.diff()));
    }
  }
  return { createAfter, diffAfter };
}

/**
 * Measures restores after many files were changed. The contenders take turns, and each contender brings the tree back
 * to its earlier state.
 */
async function measureCounts(
  contenders: readonly Contender[],
  counts: readonly number[],
  work: (contender: Contender, count: number) => Promise<number | undefined>,
): Promise<ByCount> {
  const measured = emptyFor(contenders);
  for (const count of counts) {
    for (let i = 0; i < Math.min(repeats, count > largeMin ? largeRepeats : repeats); i += 1) {
      for (const [contender, times] of measured) {
        progress(`${contender.name}: restore of ${count} files, ${i + 1}`);
        const measuredMs = await work(contender, count);
        if (measuredMs !== undefined) (times[count] ??= []).push(measuredMs);
      }
    }
  }
  return measured;
}

/** Measures the command line with and without a daemon. For comparison, also measures an empty program. */
function measureCommands(tree: GeneratedTree, directory: string): readonly Commands[] {
  const runs = Math.min(repeats, commandRepeats);
  const measured = [false, true].map((hasDaemon): Commands => {
    const line = new CommandLine(tree.root, directory, hasDaemon);
    progress(`the command line ${line.name}`);
    const times = line.measure(tree, runs);
    if (hasDaemon) line.stop();
    return { name: line.name, times };
  });
  return [{ name: 'an empty program', times: { 'node -e 0': emptyProgram(runs) } }, ...measured];
}

/**
 * The maximum number of runs of each command. The maximum is small, because a command can take seconds in a large tree.
 */
const commandRepeats = 5;

/** Restoring more files than this takes half a minute, so such restores are measured less often. */
const largeMin = 10_000;
const largeRepeats = 3;

/**
 * Measures a daemon with many open sessions. Also measures each strategy with many checkpoints, and with a large file.
 * A flag with value 0 turns a measurement off.
 */
async function measureScale(): Promise<object> {
  const [count, made, megabytes] = [Number(flags.sessions), Number(flags.long), Number(flags.large)];
  const resting: Resting[] = [];
  const counts = [
    ...(count > 0 ? [[count, filesInSession] as const] : []),
    ...restSizes.map((files) => [1, files] as const),
  ];
  for (const [sessions, files] of counts) {
    progress(`${sessions} open sessions of ${files} files`);
    const directory = join(scratch, `sessions-${files}`);
    const figures = await measureSessions(sessions, files, directory);
    if (figures !== undefined) resting.push({ sessions, files, ...figures });
    rmSync(directory, gently);
  }
  const long: LongSession[] = [];
  for (const strategy of made > 0 ? strategies : []) {
    progress(`${strategy}: ${made} checkpoints`);
    long.push(await measureLong(strategy, made, join(scratch, 'long')));
  }
  progress(`one byte changed in a file of ${megabytes} MB`);
  const large = megabytes > 0 ? await measureLarge(strategies, megabytes, join(scratch, 'large')) : [];
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  printSessions(resting, long);
  printLarge(large);
  return { resting, long, large };
}

async function main(): Promise<void> {
  const results: Result[] = [];
  const asked = {
    edits: editCounts,
    restores: restoreCounts,
    removed: removedCounts,
    moved: movedCounts,
    checkpoints,
  };
  for (const files of sizes) {
    const directory = join(scratch, String(files));
    progress(`making ${files.toLocaleString('en')} files`);
    const tree = new GeneratedTree(join(directory, 'work'), files);
    const contenders: Contender[] = [
      new GitContender(tree.root, directory),
      ...strategies.map((strategy) => new DaemonContender(strategy, tree.root, directory)),
    ];
    const result: Result = {
      files,
      contenders: await measure(contenders, tree),
      commands: measureCommands(tree, directory),
    };
    results.push(result);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    print(result, asked);
    rmSync(directory, gently);
  }
  const scale = await measureScale();
  if (flags.json !== undefined)
    writeFileSync(flags.json, `${JSON.stringify({ ...report(results, asked), ...scale }, null, 2)}\n`);
  if (flags.svg !== undefined) writeFileSync(flags.svg, plot(results));
}

await main();
