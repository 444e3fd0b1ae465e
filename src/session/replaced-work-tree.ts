// A work tree that was replaced by another directory at the same path since the session was made: the project was
// deleted and cloned anew, say. That is the user's choice. But earlier checkpoints hold files of the old directory, so an
// opening warns until a checkpoint holds files of the new one. From then on the restore of an earlier checkpoint warns.
import { type DirectoryIdentity, directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import type { SessionDirectory, SessionMarker } from './directory.ts';

interface Of {
  readonly directory: SessionDirectory;
  readonly marker: SessionMarker;
  readonly workTree: { readonly root: string };
}

/** Warns at an opening where the work tree was replaced, and no checkpoint was made of the new one yet. */
export function warnIfReplaced(session: Of, context: OperationContext): void {
  const now = replacementIn(session);
  if (now === undefined) return;
  const made =
    now.birth === '0' ? '' : ` (at ${new Date(Number(BigInt(now.birth) / 1_000_000n)).toISOString()})`;
  context.warn(
    `The work tree ${session.workTree.root} was replaced since this session was made${made}. Earlier checkpoints hold the files of the old directory, and a restore writes those files here.`,
  );
}

/** Called when checkpoint `seq` was made: it holds the files of the directory that is there now. */
export function noteWorkTree(session: Of, seq: number): void {
  const { directory, marker } = session;
  const now = replacementIn(session);
  if (now === undefined) return;
  directory.create({ ...(directory.readMarker() ?? marker), replacedBy: { directory: now, seq } });
}

/** Warns where a restore goes to a checkpoint of the old directory. */
export function warnOfOldDirectory(
  { directory, workTree }: Omit<Of, 'marker'>,
  { seq }: CheckpointRecord,
  context: OperationContext,
): void {
  const replacedBy = directory.readMarker()?.replacedBy;
  if (replacedBy === undefined || seq >= replacedBy.seq) return;
  context.warn(
    `This checkpoint holds the files of the directory that stood at ${workTree.root} before it was replaced, and a restore writes those files here.`,
  );
}

/** Returns the directory at the work tree's path if the session does not know that directory yet. */
function replacementIn({ directory, marker, workTree }: Of): DirectoryIdentity | undefined {
  const now = directoryAt(workTree.root);
  // The file may be newer than what this process read at the opening.
  const { replacedBy, workTreeDirectory, workTreeIdentity } = directory.readMarker() ?? marker;
  // A session of an earlier version noted no birth, and its device may have another number by now.
  const [, inode = ''] = workTreeIdentity.split(':');
  const then = replacedBy?.directory ?? workTreeDirectory ?? { inode, birth: '0' };
  return now === undefined || isSameDirectory(then, now) ? undefined : now;
}
