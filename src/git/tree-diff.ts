// The one differ above all stores (ruling 18): two trees that git can see go in, git's own words come out, so every
// strategy agrees. It runs no program of anybody's (no external differ, no text conversion) and decides nothing about
// what counts as modified: that is the statistics' business.

import { CheckpointdError } from '../base/errors.ts';
import { bytesOf, isText, type TreePath, toText } from '../base/tree-path.ts';
import type { GitPlace } from './environment.ts';
import { runGit } from './run.ts';

/** Two trees in the object store of a git dir. */
export interface DiffTrees {
  readonly gitDir: string;
  readonly from: string;
  readonly to: string;
}

export interface DiffOptions {
  /** Only these files and directories, taken literally. */
  readonly paths?: readonly TreePath[];
  /** Lines of context in {@link unifiedText}. Default: 3. */
  readonly context?: number;
  readonly signal?: AbortSignal;
}

/** Git's letters: added, modified, deleted, renamed, copied, type changed. */
export type DiffStatus = 'A' | 'M' | 'D' | 'R' | 'C' | 'T';

export interface DiffItem {
  readonly status: DiffStatus;
  readonly path: TreePath;
  /** Where a renamed or copied file came from. */
  readonly from?: TreePath;
  /** Likeness of the two in percent, of a rename or copy. */
  readonly score?: number;
}

/** Lines added and removed; undefined for a binary file. */
export interface LineCount {
  readonly path: TreePath;
  readonly from?: TreePath;
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

/** The paths that differ, with renames found as git's default finds them. */
export async function nameStatus(trees: DiffTrees, options: DiffOptions = {}): Promise<DiffItem[]> {
  const parts = await fields(trees, ['--name-status', '-z'], options);
  const items: DiffItem[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const word = parts[at] ?? '';
    const status = word.slice(0, 1) as DiffStatus;
    const first = (parts[at + 1] ?? '') as TreePath;
    if (status === 'R' || status === 'C') {
      const path = (parts[at + 2] ?? '') as TreePath;
      items.push({ status, path, from: first, score: Number(word.slice(1)) });
      at += 3;
    } else {
      items.push({ status, path: first });
      at += 2;
    }
  }
  return items;
}

/** Lines added and removed for each path that differs. */
export async function lineCounts(trees: DiffTrees, options: DiffOptions = {}): Promise<LineCount[]> {
  const parts = await fields(trees, ['--numstat', '-z'], options);
  const counts: LineCount[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [added = '', removed = '', ...name] = (parts[at] ?? '').split('\t');
    if (removed === '') continue;
    const count = { added: lines(added), removed: lines(removed) };
    const path = name.join('\t') as TreePath;
    if (path !== '') {
      counts.push({ path, ...count });
      continue;
    }
    counts.push({ path: parts[at + 2] as TreePath, from: parts[at + 1] as TreePath, ...count });
    at += 2;
  }
  return counts;
}

/** `git diff --stat`, 80 columns wide. Bytes: names are not always text. */
export function statText(trees: DiffTrees, options: DiffOptions = {}): Promise<Buffer> {
  return diff(trees, ['--stat=80'], options);
}

/** `git diff`: the unified text. Bytes: contents are not always text. */
export function unifiedText(trees: DiffTrees, options: DiffOptions = {}): Promise<Buffer> {
  return diff(trees, ['-p', `--unified=${options.context ?? 3}`], options);
}

async function fields(trees: DiffTrees, format: readonly string[], options: DiffOptions): Promise<string[]> {
  return (await diff(trees, format, options)).toString('latin1').split('\0');
}

async function diff(trees: DiffTrees, format: readonly string[], options: DiffOptions): Promise<Buffer> {
  const place: GitPlace = {
    gitDir: trees.gitDir,
    // The length of shortened ids would else depend on how many objects a store holds.
    settings: { 'core.abbrev': '7' },
  };
  // The limit is 400 in git before 2.34 and 1000 since; the same for all.
  const args = ['diff-tree', '-r', '-M', '-l1000', '--no-ext-diff', '--no-textconv', '--no-color', ...format];
  const outputs: Buffer[] = [];
  for (const paths of portions(options.paths)) {
    const words = [...args, trees.from, trees.to, '--', ...paths];
    const run = await runGit({ place, args: words, signal: options.signal }).catch((error: unknown) => {
      throw isDamage(error) ? damaged(error) : error;
    });
    outputs.push(run.stdout);
  }
  return Buffer.concat(outputs);
}

/** Whether git failed for what it was to compare, and not for what it was asked. */
function isDamage(error: unknown): error is CheckpointdError {
  if (!(error instanceof CheckpointdError) || error.kind !== 'GitFailed') return false;
  return /corrupt|unpack|mismatch|unable to (find|read)|bad (object|tree)|cannot (read|find)/.test(
    error.message,
  );
}

function damaged(cause: CheckpointdError): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    'Something that was to be compared is missing from the checkpoint store, or damaged. Run store/verify to see which checkpoints are affected.',
    { details: { ...cause.details }, cause },
  );
}

/** Portions of path arguments that fit a command line; a rename between two portions shows as A and D. */
function portions(paths: readonly TreePath[] | undefined): string[][] {
  if (paths === undefined) return [[]];
  const list: string[][] = [];
  for (let at = 0; at < paths.length; at += 200) {
    list.push(paths.slice(at, at + 200).flatMap(pathspecs));
  }
  return list;
}

/**
 * A path as arguments. Arguments are text, so a name that is not UTF-8 is given as a pattern with `?` for each of
 * its high bytes: it may match a sibling that differs only there, which is shown then too.
 */
function pathspecs(path: TreePath): string[] {
  if (path === '') return ['.'];
  if (isText(path)) return [`:(literal)${toText(path)}`];
  let pattern = '';
  for (const byte of bytesOf(path)) {
    const character = String.fromCharCode(byte);
    pattern += byte > 0x7f ? '?' : /[*?[\\]/.test(character) ? `\\${character}` : character;
  }
  return [`:(glob)${pattern}`, `:(glob)${pattern}/**`];
}

function lines(text: string): number | undefined {
  return text === '-' ? undefined : Number(text);
}
