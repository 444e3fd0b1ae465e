// Looking into a checkpoint without touching the work tree: which files it holds, and the bytes of one of them.
import { CheckpointdError } from '../base/errors.ts';
import type { Checkpoints } from '../session/checkpoints.ts';
import type { Entry, EntryMode, TreeChange } from '../tree/entry.ts';
import { isWithin, type TreePath, toText } from '../tree/tree-path.ts';

export interface FileInSnapshot {
  readonly path: TreePath;
  /** Against the predecessor of the checkpoint; absent for unchanged files. */
  readonly change?: 'added' | 'modified' | 'deleted';
  /** Bytes; 0 for a deleted file. */
  readonly size: number;
  readonly mode: EntryMode | '000000';
}

export interface FilesOutcome {
  readonly files: readonly FileInSnapshot[];
  readonly fileCount: number;
  readonly totalSize: number;
}

/** The files of a checkpoint in bytewise order; with `changedOnly` those that differ from its predecessor (003). */
export async function filesOf(
  checkpoints: Checkpoints,
  name: string,
  changedOnly: boolean,
): Promise<FilesOutcome> {
  const { store, index } = checkpoints;
  const { record } = index.resolve(name);
  const predecessor = index.predecessor(record.id);
  const changes =
    predecessor === undefined ? [] : await store.changes(predecessor.record.snapshot, record.snapshot);
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
      ...describe(entry, sizes[i] ?? 0),
      ...(isBase ? { change: 'added' as const } : changeOf(change)),
    });
  });
  for (const { path, after } of changes) {
    if (after === undefined && changedOnly) files.push({ path, change: 'deleted', size: 0, mode: '000000' });
  }
  const totalSize = files.reduce((sum, { size }) => sum + size, 0);
  return { files, fileCount: files.length, totalSize };
}

function describe({ path, mode }: Entry, size: number): FileInSnapshot {
  return { path, mode, size };
}

function changeOf(change: TreeChange | undefined): { change?: 'added' | 'modified' } {
  if (change === undefined) return {};
  return { change: change.before === undefined ? 'added' : 'modified' };
}

export interface ReadRequest {
  readonly tag: string;
  readonly path: TreePath;
  readonly offset: number;
  readonly length: number;
}

export interface ReadOutcome {
  readonly exists: boolean;
  readonly bytes: Buffer;
  readonly size: number;
  readonly eof: boolean;
  readonly mode?: EntryMode;
}

/** The bytes of one file (or the target of one link) in a checkpoint; a path that is not there does not exist. */
export async function readFile(
  checkpoints: Checkpoints,
  { tag, path, offset, length }: ReadRequest,
): Promise<ReadOutcome> {
  const { store, index } = checkpoints;
  const { snapshot } = index.resolve(tag).record;
  const entry = await store.entry(snapshot, path);
  if (entry === undefined) {
    const below = (await store.entries(snapshot, path)).some((other) => isWithin(other.path, path));
    if (!below) return { exists: false, bytes: Buffer.alloc(0), size: 0, eof: true };
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `"${toText(path)}" is a directory in that checkpoint. Name a file; checkpoint/files lists them.`,
      {
        details: { path: toText(path) },
      },
    );
  }
  const [size = -1] = await store.sizes([entry.blob]);
  if (size < 0) throw lostContent(entry);
  const wanted = Math.max(0, Math.min(length, size - offset));
  const chunks: Uint8Array[] = [];
  if (wanted > 0)
    for await (const chunk of store.read(entry.blob, { offset, length: wanted })) chunks.push(chunk);
  return { exists: true, bytes: Buffer.concat(chunks), size, eof: offset + wanted >= size, mode: entry.mode };
}

function lostContent({ path, blob }: Entry): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    `The content of "${toText(path)}" is missing from the checkpoint store, or damaged. Run store/verify to see which checkpoints are affected.`,
    { details: { path: toText(path), object: blob } },
  );
}
