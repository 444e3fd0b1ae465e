// checkpoint/files: which files a checkpoint holds, by pages, and which of them it changed.
import { given } from '../../base/given.ts';
import type { BlobId } from '../../base/ids.ts';
import type * as Wire from '../../protocol/types.ts';
import type { Checkpoints } from '../../session/checkpoints.ts';
import { changesBetween, sideOf } from '../../session/index/compared.ts';
import type { EntryMode, TreeChange } from '../../tree/entry.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { pageOf } from '../answers/paging.ts';
import { pathRef } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';
import { lostContent } from '../lost-content.ts';

export const command = defineCommand('checkpoint/files', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { record } = checkpoints.index.resolve(params.tag);
  const changedOnly = params.changedOnly ?? false;
  const { files, fileCount, totalSize } = await filesOf(checkpoints, params.tag, changedOnly);
  const page = pageOf(files, `${record.id} ${changedOnly}`, params, 1000);
  return {
    files: page.items.map(fileAnswer),
    fileCount,
    totalSize,
    ...given({ nextCursor: page.nextCursor }),
  };
});

function fileAnswer({ path, change, size, mode, blob }: FileInSnapshot): Wire.CheckpointFile {
  return { ...pathRef(path), ...given({ change }), size, mode, ...given({ hash: blob }) };
}

interface FileInSnapshot {
  readonly path: TreePath;
  /** Against the predecessor of the checkpoint; absent for unchanged files. */
  readonly change?: 'added' | 'modified' | 'deleted';
  /** Bytes; 0 for a deleted file. */
  readonly size: number;
  readonly mode: EntryMode | '000000';
  /** Absent for a deleted file. */
  readonly blob?: BlobId;
}

interface FilesOutcome {
  readonly files: readonly FileInSnapshot[];
  readonly fileCount: number;
  readonly totalSize: number;
}

/** The files of a checkpoint in bytewise order; with `changedOnly` those that differ from its predecessor. */
async function filesOf(checkpoints: Checkpoints, name: string, changedOnly: boolean): Promise<FilesOutcome> {
  const { store, index } = checkpoints;
  const stored = index.resolve(name);
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
  const totalSize = files.reduce((sum, { size }) => sum + size, 0);
  return { files, fileCount: files.length, totalSize };
}

function changeOf(change: TreeChange | undefined): { change?: 'added' | 'modified' } {
  if (change === undefined) return {};
  return { change: change.before === undefined ? 'added' : 'modified' };
}
