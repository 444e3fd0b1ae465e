// What differs between two checkpoints, or a checkpoint and the work tree as it is now. One differ, git's own, above all
// strategies; bytes all the way, made text by checkpoint/diff.

import { given } from '../base/given.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import {
  compare,
  type DiffItem,
  type DiffOptions,
  type DiffStatus,
  type LineCount,
  statText,
  unifiedText,
} from '../git/diff/tree-diff.ts';
import type { Checkpoints } from '../session/checkpoints.ts';
import { countLetters } from '../session/index/stats.ts';
import type { FileStats } from '../session/index/stats-cache.ts';
import { baseTag } from '../session/index/tag.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import type { Session } from '../session/session.ts';
import type { GitTrees } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';

export type DiffFormat = 'nameStatus' | 'stat' | 'unified' | 'contents' | 'text';

export interface DiffRequest {
  /** Default: the base, tag "0". */
  readonly from?: string;
  /** Default: the work tree as it is now. */
  readonly to?: string;
  readonly format: DiffFormat;
  readonly paths?: readonly TreePath[];
}

export interface DiffEntry {
  readonly path: TreePath;
  /** Of a renamed or copied file: where it came from. */
  readonly oldPath?: TreePath;
  readonly change: ChangeName;
  readonly binary: boolean;
  readonly linesAdded?: number;
  readonly linesRemoved?: number;
  /** Latin1 bytes of the absolute path. */
  readonly absolutePath: string;
  readonly before?: DiffContent;
  readonly after?: DiffContent;
}

export type ChangeName = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged';

const changeNames: Readonly<Record<DiffStatus, ChangeName>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typeChanged',
};

export type DiffContent =
  | { readonly kind: 'text'; readonly bytes: Buffer }
  | { readonly kind: 'omitted'; readonly reason: 'binary' | 'tooLarge'; readonly size: number };

export interface DiffOutcome {
  readonly files: readonly DiffEntry[];
  readonly text?: string;
  readonly stats: FileStats;
  /** The text was too large and ends early. */
  readonly truncated: boolean;
}

const contentBytesMax = 1 << 20;
const totalBytesMax = 16 << 20;
const textMax = 32 << 20;

/** Compares two states of the files. @throws InvalidTag, UnknownCheckpoint, CheckpointsDisabled */
export async function diff(
  session: Session,
  request: DiffRequest,
  context: OperationContext,
): Promise<DiffOutcome> {
  const checkpoints = session.requireCheckpoints();
  const { store, index } = checkpoints;
  const from = index.resolve(request.from ?? baseTag).record.snapshot;
  const to =
    request.to === undefined
      ? await present(checkpoints, context)
      : index.resolve(request.to).record.snapshot;
  const trees = await store.gitTrees(from, to);
  try {
    const options = {
      signal: context.signal,
      ...given({ paths: request.paths }),
    };
    const { items, counts: list } = await compare(trees, options);
    const counts = new Map(list.map((count) => [count.path, count]));
    const root = Buffer.from(session.parts.workTree.root, 'utf8').toString('latin1');
    const entries = items.map((item) => entryOf(item, counts.get(item.path), root));
    const text = (await textOf(request.format, entries, trees, options))?.toString('utf8');
    return {
      files: request.format === 'contents' ? await withContents(checkpoints, entries, from, to) : entries,
      stats: countLetters(items.map(({ status }) => status)),
      truncated: text !== undefined && text.length > textMax,
      ...(text === undefined ? {} : { text: text.slice(0, textMax) }),
    };
  } finally {
    await trees.dispose();
  }
}

function entryOf(item: DiffItem, count: LineCount | undefined, root: string): DiffEntry {
  const { path, from } = item;
  return {
    path,
    change: changeNames[item.status],
    binary: count !== undefined && count.added === undefined,
    ...given({ oldPath: from, linesAdded: count?.added, linesRemoved: count?.removed }),
    absolutePath: `${root}/${path}`,
  };
}

async function textOf(
  format: DiffFormat,
  entries: readonly DiffEntry[],
  trees: GitTrees,
  options: DiffOptions,
): Promise<Buffer | undefined> {
  if (format === 'stat') return statText(trees, options);
  if (format === 'unified') return unifiedText(trees, options);
  if (format === 'text') return layout(entries, await statText(trees, options));
  return undefined;
}

/** The work tree as it is now, as a snapshot that no checkpoint names. */
async function present(checkpoints: Checkpoints, context: OperationContext): Promise<SnapshotId> {
  const head = checkpoints.index.head;
  const capture = await checkpoints.capture.capture({
    ...given({ previous: head?.record.snapshot }),
    signal: context.signal,
    onProgress: context.progress('capture'),
  });
  return capture.snapshot;
}

/** A line a file, an empty line, then git's `--stat`. */
function layout(entries: readonly DiffEntry[], stat: Buffer): Buffer {
  if (entries.length === 0) return Buffer.alloc(0);
  const lines = entries.map(({ change, path, oldPath }) => {
    if (change === 'added') return `  + ${path} (added)\n`;
    if (change === 'deleted') return `  - ${path} (deleted)\n`;
    if (oldPath !== undefined) return `  ~ ${oldPath} -> ${path} (${change})\n`;
    return `  ~ ${path} (modified)\n`;
  });
  return Buffer.concat([Buffer.from(`${lines.join('')}\n`, 'latin1'), stat]);
}

async function withContents(
  checkpoints: Checkpoints,
  entries: readonly DiffEntry[],
  from: SnapshotId,
  to: SnapshotId,
): Promise<DiffEntry[]> {
  const { store } = checkpoints;
  const budget = { bytes: totalBytesMax };
  const result: DiffEntry[] = [];
  for (const entry of entries) {
    const before =
      entry.change === 'added' ? undefined : await store.entry(from, entry.oldPath ?? entry.path);
    const after = entry.change === 'deleted' ? undefined : await store.entry(to, entry.path);
    result.push({
      ...entry,
      ...(before === undefined
        ? {}
        : { before: await contentOf(checkpoints, before.blob, entry.binary, budget) }),
      ...(after === undefined
        ? {}
        : { after: await contentOf(checkpoints, after.blob, entry.binary, budget) }),
    });
  }
  return result;
}

async function contentOf(
  { store }: Checkpoints,
  blob: BlobId,
  binary: boolean,
  budget: { bytes: number },
): Promise<DiffContent> {
  const [size = -1] = await store.sizes([blob]);
  if (binary) return { kind: 'omitted', reason: 'binary', size };
  if (size > contentBytesMax || size > budget.bytes) return { kind: 'omitted', reason: 'tooLarge', size };
  budget.bytes -= size;
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(blob)) chunks.push(chunk);
  return { kind: 'text', bytes: Buffer.concat(chunks) };
}
