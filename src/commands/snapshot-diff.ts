// What differs between two checkpoints, or a checkpoint and the work tree as it is now. One differ, git's own, above all
// strategies; which texts and contents go with the list is chosen here, bytes all the way.
import { isUtf8 } from 'node:buffer';
import { given } from '../base/given.ts';
import type { Checkpoints } from '../session/checkpoints.ts';
import { layoutOf, statOf, unifiedParts } from '../session/diff/diff-text.ts';
import { type Difference, type DiffSide, differencesOf } from '../session/diff/differences.ts';
import { requireBase } from '../session/index/base.ts';
import { comparable, presentSide, type Side, sideOf } from '../session/index/compared.ts';
import type { FileStats } from '../session/index/stats.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { capturePresent } from '../session/publish.ts';
import type { Session } from '../session/session.ts';
import type { TreePath } from '../tree/tree-path.ts';

export type DiffFormat = 'nameStatus' | 'stat' | 'unified' | 'contents' | 'text';

export interface DiffRequest {
  /** Default: the base. */
  readonly from?: string;
  /** Default: the work tree as it is now. */
  readonly to?: string;
  readonly format: DiffFormat;
  /** The unified text in parts, one a file. */
  readonly perFile?: boolean;
  /** Binary files are patches in the unified text. */
  readonly binary?: boolean;
  readonly paths?: readonly TreePath[];
  /** Swaps the two sides. */
  readonly reverse?: boolean;
}

export interface DiffEntry extends Difference {
  /** Latin1 bytes of the absolute path. */
  readonly absolutePath: string;
  readonly contents?: { readonly before?: Buffer; readonly after?: Buffer };
  readonly unified?: Buffer;
  /** Something of it was over a limit and left out. */
  readonly isCut: boolean;
}

export interface DiffOutcome {
  readonly files: readonly DiffEntry[];
  readonly text?: Buffer;
  readonly stats: FileStats;
  /** The text was too large and ends early. */
  readonly truncated: boolean;
}

const contentBytesMax = 1 << 20;
const totalBytesMax = 16 << 20;
const textBytesMax = 32 << 20;

/** Compares two states of the files. @throws InvalidTag, UnknownCheckpoint, CheckpointsDisabled, DataCorrupt */
export async function snapshotDiff(
  session: Session,
  request: DiffRequest,
  context: OperationContext,
): Promise<DiffOutcome> {
  const checkpoints = session.requireCheckpoints();
  const { store, index } = checkpoints;
  const base = request.from === undefined ? requireBase(index) : index.resolve(request.from);
  const sides = await comparable(
    store,
    sideOf(index, base),
    request.to === undefined ? await present(checkpoints, context) : sideOf(index, index.resolve(request.to)),
  );
  const { from, to } = request.reverse === true ? { from: sides.to, to: sides.from } : sides;
  const trees = await store.gitTrees(from, to);
  try {
    const options = {
      signal: context.signal,
      ...given({ paths: request.paths, binary: request.binary }),
    };
    const { list, stats } = await differencesOf(store, trees, { from, to }, options);
    const root = Buffer.from(session.parts.workTree.root, 'utf8').toString('latin1');
    const files = list.map((difference) => ({
      ...difference,
      absolutePath: `${root}/${difference.path}`,
      isCut: false,
    }));
    switch (request.format) {
      case 'nameStatus':
        return { files, stats, truncated: false };
      case 'contents':
        return { files: await withContents(checkpoints, files), stats, truncated: false };
      case 'stat':
        return { files, stats, ...limited(await statOf(trees, list, options)) };
      case 'text':
        return { files, stats, ...limited(layoutOf(list, await statOf(trees, list, options))) };
      case 'unified': {
        const parts = await unifiedParts(trees, list, { ...options, textBytesMax: textBytesMax + 1 });
        if (request.perFile === true) return { files: withParts(files, parts), stats, truncated: false };
        return { files, stats, ...limited(Buffer.concat(parts)) };
      }
      default:
        return request.format satisfies never;
    }
  } finally {
    await trees.dispose();
  }
}

/** The work tree as it is now, as a snapshot that no checkpoint names. */
async function present(checkpoints: Checkpoints, context: OperationContext): Promise<Side> {
  return presentSide(checkpoints.index, await capturePresent(checkpoints, context));
}

/** The text up to its limit; text that is UTF-8 is never cut within a character. */
function limited(text: Buffer): { readonly text: Buffer; readonly truncated: boolean } {
  if (text.length <= textBytesMax) return { text, truncated: false };
  let end = textBytesMax;
  if (isUtf8(text)) while (((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: text.subarray(0, end), truncated: true };
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

async function withContents(checkpoints: Checkpoints, files: readonly DiffEntry[]): Promise<DiffEntry[]> {
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
        contents[side] = await contentOf(checkpoints, given);
        left -= given.size;
      }
    }
    result.push({ ...file, contents, isCut });
  }
  return result;
}

async function contentOf({ store }: Checkpoints, { entry }: DiffSide): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(entry.blob)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
