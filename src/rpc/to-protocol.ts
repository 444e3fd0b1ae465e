// The words of the domain, turned by hand into what a client gets: bytes become text (and base64 where they are not
// text), absent stays absent. Decides nothing.

import type { DiffEntry } from '../commands/diff.ts';
import type { FileInSnapshot } from '../commands/snapshot-files.ts';
import type * as Wire from '../protocol/types.ts';
import type { CheckpointView } from '../session/index/checkpoint-view.ts';
import type { RestoreView } from '../session/restore/view.ts';
import { type DisabledReason, remedies, type Session } from '../session/session.ts';
import { bytesOf, isText, type TreePath, toText } from '../tree/tree-path.ts';

/** A path as text, with its bytes where the text does not stand for them. */
export function pathRef(path: TreePath): Wire.PathRef {
  return isText(path)
    ? { path: toText(path) }
    : { path: toText(path), pathBytes: bytesOf(path).toString('base64') };
}

export function skipped(
  list: readonly { readonly path: TreePath; readonly reason: string }[],
): Wire.SkippedPath[] {
  return list.map(({ path, reason }) => ({ ...pathRef(path), reason }));
}

export function checkpoint(view: CheckpointView): Wire.Checkpoint {
  const { skipped: _skipped, ...rest } = view;
  return rest;
}

/** Whether checkpoints are enabled, and if not, why and what to do. */
export function checkpointsState(session: Session): Wire.CheckpointsState {
  const reason = session.disabledReason;
  return reason === undefined ? { enabled: true } : disabledState(reason);
}

export function disabledState(reason: DisabledReason): Wire.CheckpointsState {
  return { enabled: false, reason, message: remedies[reason] };
}

const listedPathsMax = 10_000;

/** A restore's outcome; long lists are cut and their lengths told in `counts`. */
export function restoreResult(outcome: RestoreView, dryRun: boolean): Wire.RestoreResult {
  const cut = <T>(list: readonly T[]): readonly T[] => list.slice(0, listedPathsMax);
  return {
    restored: cut(outcome.restored).map(pathRef),
    deleted: cut(outcome.deleted).map(pathRef),
    failed: cut(outcome.failed).map(({ path, reason }) => ({ ...pathRef(path), reason })),
    conflicts: cut(outcome.conflicts).map((path) => pathRef(path)),
    skipped: skipped(cut(outcome.skipped)),
    ...(outcome.safety === undefined ? {} : { safety: outcome.safety.record.id }),
    ...(outcome.checkpoint === undefined ? {} : { checkpoint: checkpoint(outcome.checkpoint) }),
    ...(outcome.conversation === undefined ? {} : { conversation: outcome.conversation }),
    counts: {
      restored: outcome.restored.length,
      deleted: outcome.deleted.length,
      failed: outcome.failed.length,
      conflicts: outcome.conflicts.length,
      skipped: outcome.skipped.length,
    },
    ...(dryRun ? { dryRun } : {}),
    ms: outcome.ms,
  };
}

/** One line of a diff. Contents are text only where the bytes are UTF-8. */
export function diffFile(entry: DiffEntry): Wire.DiffFile {
  const old = entry.oldPath === undefined ? undefined : pathRef(entry.oldPath);
  const [before, after] = [entry.before, entry.after].map((content) =>
    content?.kind === 'text' ? content.bytes.toString('utf8') : undefined,
  );
  const isCut = [entry.before, entry.after].some(
    (content) => content?.kind === 'omitted' && content.reason === 'tooLarge',
  );
  return {
    ...pathRef(entry.path),
    absolutePath: Buffer.from(entry.absolutePath, 'latin1').toString('utf8'),
    change: entry.change,
    ...(old === undefined
      ? {}
      : { oldPath: old.path, ...(old.pathBytes === undefined ? {} : { oldPathBytes: old.pathBytes }) }),
    ...(entry.binary ? { binary: true } : {}),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(isCut ? { truncated: true } : {}),
    ...(entry.linesAdded === undefined ? {} : { linesAdded: entry.linesAdded }),
    ...(entry.linesRemoved === undefined ? {} : { linesRemoved: entry.linesRemoved }),
  };
}

export function snapshotFile({ path, change, size, mode }: FileInSnapshot): Wire.CheckpointFile {
  return { ...pathRef(path), ...(change === undefined ? {} : { change }), size, mode };
}
