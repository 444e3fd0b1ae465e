// What an interrupted restore was asked to do, as its note tells it, and on which directory. It changes nothing but
// where the note lies: recovery finishes or undoes.

import { directoryAt, isSameDirectory } from '../../base/directory-identity.ts';
import { CheckpointdError } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { given } from '../../base/given.ts';
import type { CheckpointId } from '../../base/ids.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import { type RestoreIntent, RestoreJournal } from '../../restore/journal.ts';
import type { Session } from '../session.ts';
import { recordOf } from './intent.ts';
import type { RestoreJob } from './restore-job.ts';

/** On to the target, on to it but for what the store has lost of it, or back to where it began. */
export type Repeat = 'finish' | 'finishWithoutLost' | 'undo';

/** The error for a checkpoint that an interrupted restore needs and that nobody can read any more. */
export function gone(checkpoint: CheckpointId): CheckpointdError {
  const message = `The checkpoint ${checkpoint} of an interrupted restore is gone.`;
  return new CheckpointdError('StoreCorrupt', message, { details: { checkpoint } });
}

/** The job that repeats the request, or that goes back to where it began. @throws StoreCorrupt when a checkpoint is gone */
export function jobOf(checkpoints: Checkpoints, intent: RestoreIntent, how: Repeat): RestoreJob {
  const isUndone = how === 'undo';
  const record = recordOf(intent);
  const towards = isUndone ? intent.safety : intent.target;
  const target = checkpoints.index.byId(towards);
  if (target === undefined) throw gone(towards);
  const restore = intent.takesBack ?? restoreTakenBack(checkpoints, intent);
  return {
    target,
    mode: isUndone ? 'hard' : intent.mode,
    scope: intent.scope,
    ...given({ paths: intent.paths }),
    // It cannot fail any more without stopping half-way; what it would have failed for is left alone.
    onConflict: intent.onConflict === 'fail' ? 'skip' : intent.onConflict,
    ...(isUndone ? {} : { emptied: intent.directories }),
    ...given({ takesBack: restore && { restore, isExact: intent.isExact ?? false } }),
    interrupted: {
      before: checkpoints.index.byId(intent.safety)?.record.snapshot ?? record.snapshot,
      target: intent.snapshot,
      left: intent.left ?? [],
      isUndone,
      sparesLost: how === 'finishWithoutLost',
    },
    undo: () => record.undo ?? [],
    redo: () => record.redo ?? [],
    description: record.description,
    confirm: true,
    dryRun: false,
  };
}

/** Of a note that does not name it: the restore before which the target was saved, if the note is of an undo. */
function restoreTakenBack({ index }: Checkpoints, intent: RestoreIntent): CheckpointId | undefined {
  if (intent.root !== undefined || !/^(Undid|Redid) a restore$/.test(recordOf(intent).description))
    return undefined;
  return index.list('every').find(({ record }) => record.safety === intent.target)?.record.id;
}

/** @throws RestoreFailed when another directory than the one that the restore began on stands at its path now */
export function checkRoot(session: Session, intent: RestoreIntent): void {
  if (isRootOf(session, intent)) return;
  const { root } = session.parts.workTree;
  throw new CheckpointdError(
    'RestoreFailed',
    `A restore of ${root} was interrupted, and another directory stands at its path now, which was left as it is. Put the right one back and open the session again, or give the restore up with checkpoint/init.`,
    { details: { path: root }, effects: 'unknown' },
  );
}

function isRootOf(session: Session, { root }: RestoreIntent): boolean {
  const { workTree, marker } = session.parts;
  const present = directoryAt(workTree.root);
  if (present === undefined) return false;
  if (root !== undefined) return isSameDirectory(root, present);
  return marker.workTreeIdentity.split(':')[1] === present.inode;
}

/** Whether an unfinished restore waits for another directory than the one that stands at its path now. */
export function waitsForAnotherRoot(session: Session, { index }: Pick<Checkpoints, 'index'>): boolean {
  const state = new RestoreJournal(session.parts.directory.intentFile).read();
  if (state.kind !== 'unfinished' || index.byId(recordOf(state.intent).id) !== undefined) return false;
  return !isRootOf(session, state.intent);
}

/** Gives an unfinished restore up because somebody decided so. Its note is kept beside, for a person to look at. */
export function setAside(session: Session): void {
  const { intentFile } = session.parts.directory;
  files.renameSync(intentFile, `${intentFile}.given-up`);
  session.parts.log.warn(`an unfinished restore was given up; its note is ${intentFile}.given-up`);
}
