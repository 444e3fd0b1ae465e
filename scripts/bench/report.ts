// Reports measurements as a table of medians with their ratio to git, as JSON, and as a plot (scripts/bench/plot.ts).
// This module measures nothing.
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import type { CommandTimes } from './commands.ts';
import type { LargeFile } from './large.ts';
import { type Plot, svgOf } from './plot.ts';
import type { LongSession, RestFigures } from './sessions.ts';

/** The results of one contender on one tree: the milliseconds of each run, and sizes in bytes. */
export interface Measured {
  readonly name: string;
  readonly firstCapture: readonly number[];
  readonly create: readonly number[];
  /** The times of `create`, grouped by the number of edited files. */
  readonly createAfter: Readonly<Record<string, readonly number[]>>;
  /** The times of diffs between the last two checkpoints, grouped by the number of edited files. */
  readonly diffAfter: Readonly<Record<string, readonly number[]>>;
  readonly hasChanges: readonly number[];
  readonly diff: readonly number[];
  readonly stats: readonly number[];
  readonly restore: readonly number[];
  /** The times of restores, grouped by the number of differing files. */
  readonly restoreOf: Readonly<Record<string, readonly number[]>>;
  /** For each restore, the longest time that a light request waited. Grouped by the number of differing files. */
  readonly restoreWait: Readonly<Record<string, readonly number[]>>;
  /** The times of restores, grouped by the number of deleted files. */
  readonly restoreRemoved: Readonly<Record<string, readonly number[]>>;
  /** The times of restores, grouped by the minimum number of files in the renamed directories. */
  readonly restoreMoved: Readonly<Record<string, readonly number[]>>;
  readonly reopen: readonly number[];
  /** Like `reopen`, when every file is older than a minute. */
  readonly reopenLater: readonly number[];
  readonly wait: readonly number[];
  readonly diskBytes: number;
  readonly rssBytes?: number;
  readonly highestRssBytes?: number;
}

/** The times of commands when they run in one of the two ways: without a daemon or with a daemon. */
export interface Commands {
  readonly name: string;
  readonly times: CommandTimes;
}

export interface Result {
  readonly files: number;
  readonly contenders: readonly Measured[];
  readonly commands: readonly Commands[];
}

/** The results for a daemon at rest with open sessions. */
export interface Resting extends RestFigures {
  readonly sessions: number;
  readonly files: number;
}

/** The request. */
export interface Asked {
  readonly edits: readonly number[];
  readonly restores: readonly number[];
  readonly removed: readonly number[];
  readonly moved: readonly number[];
  readonly checkpoints: number;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

interface Row {
  readonly label: string;
  readonly unit: 'ms' | 'MB';
  readonly of: (measured: Measured) => number | undefined;
}

function longest(waits: readonly number[] = []): number | undefined {
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const megabyte = 1024 * 1024;
/** Returns a row of medians for each number of files. */
function rowsByCount(
  counts: readonly number[],
  label: (count: string) => string,
  timesOf: (measured: Measured) => Readonly<Record<string, readonly number[]>>,
): Row[] {
  return counts.map((count) => ({
    label: label(count.toLocaleString('en')),
    unit: 'ms',
    of: (measured) => {
      const times = timesOf(measured)[count];
      return times === undefined ? undefined : median(times);
    },
  }));
}

function rowsOf({ edits, restores, removed, moved, checkpoints }: Asked): readonly Row[] {
  return [
    { label: 'first capture', unit: 'ms', of: ({ firstCapture }) => median(firstCapture) },
    { label: 'create after one edit', unit: 'ms', of: ({ create }) => median(create) },
    ...rowsByCount(
      edits,
      (count) => `create after ${count} edits`,
      ({ createAfter }) => createAfter,
    ),
    { label: 'hasChanges, nothing changed', unit: 'ms', of: ({ hasChanges }) => median(hasChanges) },
    { label: 'diff of the last two', unit: 'ms', of: ({ diff }) => median(diff) },
    ...rowsByCount(
      edits,
      (count) => `diff of ${count} edits`,
      ({ diffAfter }) => diffAfter,
    ),
    { label: 'stats of the last two', unit: 'ms', of: ({ stats }) => median(stats) },
    { label: 'restore of one file', unit: 'ms', of: ({ restore }) => median(restore) },
    ...rowsByCount(
      restores,
      (count) => `restore of ${count} files`,
      ({ restoreOf }) => restoreOf,
    ),
    ...rowsByCount(
      removed,
      (count) => `restore after rm of ${count}`,
      ({ restoreRemoved }) => restoreRemoved,
    ),
    ...rowsByCount(
      moved,
      (count) => `restore after mv of ${count}`,
      ({ restoreMoved }) => restoreMoved,
    ),
    ...restores.map(
      (count): Row => ({
        label: `wait, restoring ${count.toLocaleString('en')}`,
        unit: 'ms',
        of: ({ restoreWait }) => longest(restoreWait[count]),
      }),
    ),
    // For git, prints only the time of `git status`, because git does no other work here.
    { label: 'reopened at once, and a create', unit: 'ms', of: ({ reopen }) => median(reopen) },
    { label: 'reopened later, and a create', unit: 'ms', of: ({ reopenLater }) => median(reopenLater) },
    {
      label: 'longest wait meanwhile',
      unit: 'ms',
      of: ({ wait }) => longest(wait),
    },
    {
      label: `disk after ${checkpoints} checkpoints`,
      unit: 'MB',
      of: ({ diskBytes }) => diskBytes / megabyte,
    },
    {
      label: 'memory (highest RSS)',
      unit: 'MB',
      of: (m) => m.highestRssBytes && m.highestRssBytes / megabyte,
    },
  ];
}

/** Prints the tables of one tree. */
export function print({ files, contenders, commands }: Result, asked: Asked): void {
  printContenders(files, contenders, asked);
  for (const { name, times } of commands) {
    const cells = Object.entries(times).map(([label, runs]) => `${label} ${median(runs).toFixed(0)} ms`);
    console.log(`command line, ${name}: ${cells.join(', ')}`);
  }
}

function printContenders(files: number, all: readonly Measured[], asked: Asked): void {
  const git = all.find(({ name }) => name === 'git');
  console.log(`\n${files.toLocaleString('en')} files (median, and times the git sequence of Q CLI)`);
  console.log([''.padEnd(32), ...all.map(({ name }) => name.padStart(18))].join(''));
  for (const { label, unit, of } of rowsOf(asked)) {
    const base = git === undefined ? undefined : of(git);
    const cells = all.map((measured) => {
      const value = of(measured);
      if (value === undefined) return '–'.padStart(18);
      const ratio = measured === git || base === undefined ? '' : ` ×${(value / base).toFixed(2)}`;
      return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}${ratio}`.padStart(18);
    });
    console.log([label.padEnd(32), ...cells].join(''));
  }
}

/** Prints the cost of open sessions for an idle daemon, and the cost of many checkpoints for a session. */
export function printSessions(resting: readonly Resting[], long: readonly LongSession[]): void {
  for (const { sessions, files, rssBytes, highestBytes, threads, descriptors, ...rest } of resting)
    console.log(
      `${sessions} open sessions of ${files} files at rest: ${(rssBytes / megabyte).toFixed(0)} MB (highest ${(highestBytes / megabyte).toFixed(0)}), ${threads} threads, ${descriptors} descriptors, ${rest.wakeUpsPerSecond.toFixed(1)} wake-ups a second, ${rest.processorMs.toFixed(0)} ms of processor time in 30 s`,
    );
  for (const { strategy, checkpoints, reopenMs, restoreMs, diskBytes } of long)
    console.log(
      `${strategy}, 200 files, ${checkpoints} checkpoints: opened again with a create in ${reopenMs.toFixed(0)} ms, one file restored in ${restoreMs.toFixed(0)} ms, ${(diskBytes / megabyte).toFixed(1)} MB`,
    );
}

/** Prints the cost of a checkpoint after one byte has changed in a large file. */
export function printLarge(all: readonly LargeFile[]): void {
  const ms = (times: readonly number[]): string => times.map((time) => time.toFixed(0)).join(', ');
  for (const { strategy, megabytes, createMs, waitMs, bytesEach, bytesEachLater } of all)
    console.log(
      `${strategy}, one byte changed in a file of ${megabytes} MB: create in ${ms(createMs)} ms, longest wait ${waitMs.toFixed(0)} ms, ${(bytesEach / megabyte).toFixed(1)} MB each, a minute later ${(bytesEachLater / megabyte).toFixed(1)} MB`,
    );
}

/** Plots the cost against the size of the tree. */
export function plot(results: readonly Result[]): string {
  const names = results[0]?.contenders.map(({ name }) => name) ?? [];
  const linesOf = (of: (measured: Measured) => number): Plot['lines'] =>
    names.map((name) => ({
      name,
      points: results.flatMap(({ files, contenders }) => {
        const measured = contenders.find((each) => each.name === name);
        return measured === undefined ? [] : [[files, of(measured)] as const];
      }),
    }));
  return svgOf([
    { title: 'A checkpoint of one edit', lines: linesOf(({ create }) => median(create)) },
    { title: 'A restore of one file', lines: linesOf(({ restore }) => median(restore)) },
  ]);
}

/** Returns all measurements as data for programs. */
export function report(results: readonly Result[], asked: Asked): object {
  const rows = rowsOf(asked);
  return {
    date: new Date().toISOString(),
    node: process.version,
    git: execFileSync('git', ['--version'], { encoding: 'utf8' }).trim(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    checkpoints: asked.checkpoints,
    results: results.map(({ files, contenders, commands }) => {
      const git = contenders.find(({ name }) => name === 'git');
      return {
        files,
        commands,
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
