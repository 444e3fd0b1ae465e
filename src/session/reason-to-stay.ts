// Decides whether the directory of an ending session may be removed. A session stays if a user may still need it: for
// example, if one of its safety checkpoints has the only copy of a file.
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import type { Session } from './session.ts';

/**
 * The way in which a session ends. `orderly`: by a request (close, shutdown) or a signal. `abrupt`: after the loss of
 * the client (end of input, death of the parent, fatal framing, exit without shutdown), or after an internal failure.
 */
export type EndKind = 'orderly' | 'abrupt';

/** The reason why the directory of a closed session stays. The protocol defines these words. */
export type NotRemoved =
  | 'retention'
  | 'otherClients'
  | 'unfinishedRestore'
  | 'onlyCopy'
  | 'notOurs'
  | 'storeUnavailable';

/** Returns the reason why the directory must stay. Reads snapshots if necessary. */
export async function reasonToStay(session: Session, kind: EndKind): Promise<NotRemoved | undefined> {
  const because = visibleReason(session, kind);
  if (because !== undefined || kind === 'orderly' || session.enabled === undefined) return because;
  return (await hasOnlyCopy(session.enabled)) ? 'onlyCopy' : undefined;
}

/** Returns the reason why the directory must or may have to stay. Reads no snapshots, so it answers at once. */
export function reasonToStayNow(session: Session, kind: EndKind): NotRemoved | undefined {
  const because = visibleReason(session, kind);
  if (because !== undefined || kind === 'orderly' || session.enabled === undefined) return because;
  return suspectSafeties(session.enabled).length > 0 ? 'onlyCopy' : undefined;
}

/** Returns a reason that does not depend on the contents of checkpoints. */
function visibleReason(session: Session, kind: EndKind): NotRemoved | undefined {
  const { directory, late, marker } = session.parts;
  if (marker.retention === 'keep') return 'retention';
  if (files.existsSync(directory.intentFile)) return 'unfinishedRestore';
  // A displaced file remains if a program wrote to the file and the daemon could not return the file to its path.
  if (late.isAny) return 'onlyCopy';
  if (!isOurs(session)) return 'notOurs';
  // Without readable checkpoints, the daemon cannot find out whether a checkpoint has the only copy of a file.
  const isUnreadable = ['StoreCorrupt', 'RepositoryUnusable'].includes(session.disabledReason ?? '');
  return kind === 'abrupt' && isUnreadable ? 'storeUnavailable' : undefined;
}

/**
 * True when the directory at the path is still the directory that the session made. If it is another directory, logs a
 * warning, and the caller must remove nothing.
 */
function isOurs({ parts }: Session): boolean {
  try {
    parts.owner.requireOwner();
    parts.directory.ours();
    return true;
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    parts.log.warn(error.message);
    return false;
  }
}

/**
 * True when a safety checkpoint has content that the session's current state lacks. Ignores content that an earlier
 * restore wrote, because such content is not the user's new work.
 */
async function hasOnlyCopy(checkpoints: Checkpoints): Promise<boolean> {
  const { index, store } = checkpoints;
  const head = index.head?.record.snapshot;
  if (head === undefined) return false;
  let present: ReadonlySet<BlobId> | undefined;
  for (const safety of suspectSafeties(checkpoints)) {
    present ??= await blobsOf(store, head);
    const restored = restoredBefore(checkpoints, safety);
    const ours = restored === undefined ? new Set<BlobId>() : await blobsOf(store, restored);
    for (const { before } of await store.changes(safety.snapshot, head)) {
      if (before !== undefined && !present.has(before.blob) && !ours.has(before.blob)) return true;
    }
  }
  return false;
}

/** Returns the safety checkpoints that differ from the session's current state and from the restore before them. */
function suspectSafeties(checkpoints: Checkpoints): CheckpointRecord[] {
  const { index } = checkpoints;
  const head = index.head?.record.snapshot;
  return index
    .list('safety')
    .map(({ record }) => record)
    .filter((record) => record.snapshot !== head && record.snapshot !== restoredBefore(checkpoints, record));
}

/** If the parent of a safety checkpoint is the checkpoint of a restore, returns the parent's snapshot. */
function restoredBefore({ index }: Checkpoints, { parent }: CheckpointRecord): SnapshotId | undefined {
  const before = parent === undefined ? undefined : index.byId(parent)?.record;
  return before?.kind === 'restore' ? before.snapshot : undefined;
}

async function blobsOf(store: SnapshotStore, snapshot: SnapshotId): Promise<ReadonlySet<BlobId>> {
  return new Set((await store.entries(snapshot)).map(({ blob }) => blob));
}
