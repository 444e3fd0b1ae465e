// The commands that read the contents of checkpoints: files, statistics and differences. These commands
// change nothing.
import { isUtf8 } from 'node:buffer';
import { CheckpointdError } from '../base/errors.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import {
  changesBetween,
  comparable,
  type FileStats,
  presentSide,
  sideOf,
  statsBetween,
} from '../checkpoints/compared.ts';
import { layoutOf, statOf, unifiedDifferences } from '../checkpoints/diff-text.ts';
import { type Difference, differencesOf, modesOf } from '../checkpoints/differences.ts';
import { textHunksOf } from '../checkpoints/hunks.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import type { DiffOptions } from '../git/diff/tree-diff.ts';
import type * as Wire from '../protocol/types.ts';
import type { Session } from '../session/session.ts';
import type { GitTrees, SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { Entry, EntryMode, TreeChange } from '../tree/tree.ts';
import { isWithin, type TreePath, toText } from '../tree/tree-path.ts';
import { checkpointAnswer } from './answers/checkpoint-answer.ts';
import { pageOf } from './answers/paging.ts';
import { limited, textAnswer, textBytesMax } from './answers/patch.ts';
import { pathRef, treePath, treePaths } from './answers/paths.ts';
import { defineCommand } from './command.ts';

/** Lists the files of a checkpoint page by page. Marks the files that differ from the checkpoint's predecessor. */
export const checkpointFiles = defineCommand('checkpoint/files', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const stored = checkpoints.index.resolve(params.tag);
  const changedOnly = params.changedOnly ?? false;
  const files = await filesOf(checkpoints, stored, changedOnly);
  const page = pageOf(files, `${stored.record.id} ${changedOnly}`, params, 1000);
  return {
    files: page.items.map(({ path, change, size, mode, blob }) => ({
      ...pathRef(path),
      size,
      mode,
      change,
      hash: blob,
    })),
    fileCount: files.length,
    totalSize: files.reduce((sum, { size }) => sum + size, 0),
    nextCursor: page.nextCursor,
  };
});

interface FileInSnapshot {
  readonly path: TreePath;
  /** The kind of difference from the checkpoint's predecessor. Absent for unchanged files. */
  readonly change?: 'added' | 'modified' | 'deleted';
  /** The size in bytes; 0 for a deleted file. */
  readonly size: number;
  readonly mode: EntryMode | '000000';
  /** The id of the content. Absent for a deleted file. */
  readonly blob?: BlobId;
}

/**
 * Returns the files of a checkpoint in bytewise order. With `changedOnly`, returns only files that differ from the
 * checkpoint's predecessor.
 */
async function filesOf(
  { store, index }: Checkpoints,
  stored: StoredCheckpoint,
  changedOnly: boolean,
): Promise<FileInSnapshot[]> {
  const { record } = stored;
  const predecessor = index.predecessor(record.id);
  const changes =
    predecessor === undefined
      ? []
      : await changesBetween(store, sideOf(index, predecessor), sideOf(index, stored));
  const entries = await store.entries(record.snapshot);
  const sizes = await store.sizes(entries.map(({ blob }) => blob));
  const lost = entries.find((_, i) => (sizes[i] ?? -1) < 0);
  if (lost !== undefined) throw lostContent(lost);
  const changed = new Map<TreePath, TreeChange>(changes.map((change) => [change.path, change]));
  const files: FileInSnapshot[] = [];
  const isBase = predecessor === undefined;
  entries.forEach((entry, i) => {
    const change = changed.get(entry.path);
    if (changedOnly && change === undefined && !isBase) return;
    files.push({
      path: entry.path,
      mode: entry.mode,
      blob: entry.blob,
      size: sizes[i] ?? 0,
      ...(isBase ? { change: 'added' as const } : changeOf(change)),
    });
  });
  for (const { path, after } of changes) {
    if (after === undefined && changedOnly) files.push({ path, change: 'deleted', size: 0, mode: '000000' });
  }
  return files;
}

function changeOf(change: TreeChange | undefined): { change?: 'added' | 'modified' } {
  if (change === undefined) return {};
  return { change: change.before === undefined ? 'added' : 'modified' };
}

const readBytesMax = 8 * 1024 * 1024;

/** Reads one file's bytes, or the target of one symbolic link, from a checkpoint. Does not read the work tree. */
export const checkpointReadFile = defineCommand('checkpoint/readFile', async ({ session, params }) => {
  const { store, index } = session.requireCheckpoints();
  const path = treePath(params);
  const offset = params.offset ?? 0;
  const { snapshot } = index.resolve(params.tag).record;
  const entry = await store.entry(snapshot, path);
  if (entry === undefined) {
    const isDirectory = (await store.entries(snapshot, path)).some((other) => isWithin(other.path, path));
    if (!isDirectory) return { exists: false, encoding: 'utf-8', size: 0, eof: true };
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `"${toText(path)}" is a directory in that checkpoint. Give the path of a file; checkpoint/files lists the files.`,
      { details: { path: toText(path) } },
    );
  }
  const [size = -1] = await store.sizes([entry.blob]);
  if (size < 0) throw lostContent(entry);
  const length = Math.max(0, Math.min(params.length ?? readBytesMax, readBytesMax, size - offset));
  const bytes = length > 0 ? await contentOf(store, entry.blob, { offset, length }) : Buffer.alloc(0);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  return {
    exists: true,
    data: isText ? text : bytes.toString('base64'),
    encoding: isText ? 'utf-8' : 'base64',
    size,
    eof: offset + length >= size,
    mode: entry.mode,
  };
});

/** Counts the files that differ between a checkpoint and its predecessor, or between two given checkpoints. */
export const checkpointStats = defineCommand('checkpoint/stats', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  const { tag, from, to } = params;
  if (tag != null && (from != null || to != null))
    throw new CheckpointdError(
      'InvalidParams',
      '"tag" cannot be combined with "from" and "to". Give either "tag", or "from" and "to".',
    );
  if (tag != null) return (await checkpointAnswer(checkpoints, index.resolve(tag))).stats;
  if (from != null && to != null) return statsBetween(checkpoints, index.resolve(from), index.resolve(to));
  throw new CheckpointdError('InvalidParams', 'Give either "tag", or both "from" and "to".');
});

/** Compares two states in the format that the client requests. */
export const checkpointDiff = defineCommand('checkpoint/diff', async ({ session, params, context }) => {
  const request = {
    format: params.format ?? 'nameStatus',
    from: params.from,
    to: params.to,
    paths: treePaths(params.paths),
    perFile: params.perFile,
    binary: params.binary,
    reverse: params.reverse,
  };
  const { files, text, stats, truncated } = await snapshotDiff(session, request, context);
  return {
    files: files.map((entry) => diffFile(entry, session.parts.workTree.root)),
    ...(text && textAnswer(text)),
    stats,
    truncated: truncated || undefined,
  };
});

/**
 * Returns one path of a diff in the protocol's form. If one of the two contents or the diff is not UTF-8, all three are
 * in base64.
 */
function diffFile(entry: DiffEntry, root: string): Wire.DiffFile {
  const { before, after, contents = {}, unified } = entry;
  const modes = modesOf(entry);
  const old = entry.oldPath === undefined ? undefined : pathRef(entry.oldPath);
  const texts = [contents.before, contents.after, unified];
  const isText = texts.every((bytes) => bytes === undefined || isUtf8(bytes));
  const encoding = isText ? 'utf8' : 'base64';
  // A spread at the start of this literal would take ten times as long, because V8 adds the later fields one by one.
  const { path, pathBytes } = pathRef(entry.path);
  return {
    path,
    pathBytes,
    absolutePath: `${root}/${path}`,
    change: entry.change,
    oldPath: old?.path,
    oldPathBytes: old?.pathBytes,
    binary: entry.binary || undefined,
    before: contents.before?.toString(encoding),
    after: contents.after?.toString(encoding),
    unified: unified?.toString(encoding),
    encoding: encoding === 'base64' ? encoding : undefined,
    truncated: entry.isCut || undefined,
    hunks: unified && hunksIn(unified),
    linesAdded: entry.linesAdded,
    linesRemoved: entry.linesRemoved,
    beforeMode: modes.before,
    afterMode: modes.after,
    beforeSize: sizeOf(before),
    afterSize: sizeOf(after),
  };
}

function hunksIn(unified: Buffer): Wire.DiffHunk[] | undefined {
  const hunks = textHunksOf(unified);
  if (hunks.length === 0) return undefined;
  return hunks.map(({ id, before, after }) => ({
    id,
    beforeStart: before.start,
    beforeLines: before.lines,
    afterStart: after.start,
    afterLines: after.lines,
  }));
}

function sizeOf(side: DiffEntry['before']): number | undefined {
  return side === undefined || side.size < 0 ? undefined : side.size;
}

type DiffFormat = 'nameStatus' | 'stat' | 'unified' | 'contents' | 'text';

interface DiffRequest {
  /** The earlier state. Default: the base. */
  readonly from?: string | undefined;
  /** The later state. Default: the current work tree. */
  readonly to?: string | undefined;
  readonly format: DiffFormat;
  /** True to split the unified text into parts, one for each file. */
  readonly perFile?: boolean | undefined;
  /** True to include patches of binary files in the unified text. */
  readonly binary?: boolean | undefined;
  readonly paths?: readonly TreePath[] | undefined;
  /** True to swap the two sides. */
  readonly reverse?: boolean | undefined;
}

interface DiffEntry extends Difference {
  readonly contents?: { readonly before?: Buffer; readonly after?: Buffer };
  readonly unified?: Buffer;
  /** True when a part of the entry exceeded a limit and was omitted. */
  readonly isCut: boolean;
}

interface DiffOutcome {
  readonly files: readonly DiffEntry[];
  readonly text?: Buffer;
  readonly stats: FileStats;
  /** True when the text was too large and has been cut. */
  readonly truncated: boolean;
}

const contentBytesMax = 1 << 20;
const totalBytesMax = 16 << 20;

/**
 * Lets git itself compare two states of the files, so that all strategies give the same result. Returns texts as bytes.
 * @throws InvalidTag, UnknownCheckpoint, CheckpointsDisabled, DataCorrupt
 */
async function snapshotDiff(
  session: Session,
  request: DiffRequest,
  context: OperationContext,
): Promise<DiffOutcome> {
  const checkpoints = session.requireCheckpoints();
  const { store, index } = checkpoints;
  const base = request.from === undefined ? index.requireBase() : index.resolve(request.from);
  const sides = await comparable(
    store,
    sideOf(index, base),
    request.to === undefined
      ? presentSide(checkpoints.index, await capturePresent(checkpoints, context))
      : sideOf(index, index.resolve(request.to)),
  );
  const { from, to } = request.reverse === true ? { from: sides.to, to: sides.from } : sides;
  const trees = await store.gitTrees(from, to);
  try {
    const options = {
      signal: context.signal,
      paths: request.paths,
      binary: request.binary,
    };
    if (request.format === 'unified') return await unifiedDiff(store, trees, { from, to }, options, request);
    const { list, stats } = await differencesOf(store, trees, { from, to }, options);
    const files = uncut(list);
    switch (request.format) {
      case 'nameStatus':
        return { files, stats, truncated: false };
      case 'contents':
        return { files: await withContents(store, files), stats, truncated: false };
      case 'stat':
        return { files, stats, ...limited(await statOf(trees, list, options)) };
      case 'text':
        return { files, stats, ...limited(layoutOf(list, await statOf(trees, list, options))) };
      default:
        return request.format satisfies never;
    }
  } finally {
    await trees.dispose();
  }
}

async function unifiedDiff(
  store: SnapshotStore,
  trees: GitTrees,
  sides: { readonly from: SnapshotId; readonly to: SnapshotId },
  options: DiffOptions,
  { perFile }: DiffRequest,
): Promise<DiffOutcome> {
  const limits = { ...options, textBytesMax: textBytesMax + 1 };
  const { list, stats, parts } = await unifiedDifferences(store, trees, sides, limits);
  const files = uncut(list);
  if (perFile === true) return { files: withParts(files, parts), stats, truncated: false };
  return { files, stats, ...limited(Buffer.concat(parts)) };
}

function uncut(list: readonly Difference[]): DiffEntry[] {
  return list.map((difference) => ({ ...difference, isCut: false }));
}

function withParts(files: readonly DiffEntry[], parts: readonly Buffer[]): DiffEntry[] {
  let left = textBytesMax;
  return files.map((file, index) => {
    const unified = parts[index] ?? Buffer.alloc(0);
    if (unified.length === 0 || unified.length > left) return { ...file, isCut: true };
    left -= unified.length;
    return { ...file, unified };
  });
}

async function withContents(store: SnapshotStore, files: readonly DiffEntry[]): Promise<DiffEntry[]> {
  const result: DiffEntry[] = [];
  let left = totalBytesMax;
  for (const file of files) {
    if (file.binary) {
      result.push(file);
      continue;
    }
    const contents: { before?: Buffer; after?: Buffer } = {};
    let isCut = false;
    for (const side of ['before', 'after'] as const) {
      const { [side]: given } = file;
      if (given === undefined) continue;
      if (given.size > contentBytesMax || given.size > left) isCut = true;
      else {
        contents[side] = await contentOf(store, given.entry.blob);
        left -= given.size;
      }
    }
    result.push({ ...file, contents, isCut });
  }
  return result;
}

async function contentOf(store: SnapshotStore, ...of: Parameters<SnapshotStore['read']>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(...of)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the error for a file whose content is missing from the store or damaged. */
function lostContent({ path, blob }: Entry): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    `The content of "${toText(path)}" is missing from the checkpoint store, or damaged. Run store/verify to see which checkpoints are affected.`,
    { details: { path: toText(path), object: blob } },
  );
}
