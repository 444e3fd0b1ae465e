// The note that a restore is under way: one small durable file, written before the first change of the work
// tree and removed after the last. The note contains what a new plan needs, not the plan itself: a repeated
// run plans from the files on disk at that time. Recovery, not the journal, decides what to do with an
// unfinished restore.
import { dirname } from 'node:path';
import { syncDirectory, writeAtomically } from '../base/atomic-file.ts';
import { attempt, isMissing } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import type { DirectoryIdentity } from '../base/directory-identity.ts';
import { files } from '../base/files.ts';
import { given } from '../base/given.ts';
import type { CheckpointId, OperationId, SnapshotId } from '../base/ids.ts';
import { bootId } from '../base/process-lock.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { LeftAlone } from './plan.ts';
import type { PreparedJob } from './restore-job.ts';

const version = 1;

/** The intent of a restore. JSON-safe: a TreePath is latin1, so it survives as text. */
export interface RestoreIntent {
  /** 20 characters; part of every temporary name of this restore. */
  readonly id: string;
  readonly target: CheckpointId;
  readonly snapshot: SnapshotId;
  /** The checkpoint of the state before the restore. */
  readonly safety: CheckpointId;
  readonly mode: 'soft' | 'hard';
  readonly scope: 'files' | 'conversation' | 'both';
  readonly paths?: readonly TreePath[];
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /** The directory that the restore changes. Absent, like the next three fields, in notes of earlier versions. */
  readonly root?: DirectoryIdentity;
  /** The id of the machine's boot, on systems that have one. */
  readonly boot?: string;
  /** Paths that the restore left alone on purpose. A repeated run leaves them alone, too. */
  readonly left?: readonly LeftAlone[];
  /** For an undo or a redo: the restore that it reverses. */
  readonly takesBack?: CheckpointId;
  /** True when the undo or redo returns the whole state before, and not only what the restore changed. */
  readonly isExact?: boolean;
  /** The only paths that the restore may change. A repeated run respects the list, too. Absent: all paths. */
  readonly only?: readonly TreePath[];
  /** The plan's `directories`: a repeated run removes those that the first run emptied. */
  readonly directories: readonly TreePath[];
  readonly operation?: OperationId;
  /** RFC 3339, for people who read the file. */
  readonly startedAt: string;
  /** Data of the session that the journal does not interpret. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The form on disk. An earlier version called a directory's birth time `born`, and noted its device. */
interface Note extends Omit<RestoreIntent, 'root'> {
  readonly version: number;
  readonly sum?: string;
  readonly root?: DirectoryIdentity | { readonly inode: string; readonly born: string };
}

function identityIn(root: NonNullable<Note['root']>): DirectoryIdentity {
  return 'born' in root ? { inode: root.inode, birth: root.born } : root;
}

/** The content of the journal: nothing, an unfinished restore, or something unreadable. */
export type JournalState =
  | { readonly kind: 'none' }
  | { readonly kind: 'unfinished'; readonly intent: RestoreIntent }
  /** The file stays as it is, for a person or a newer version. `file` is its path. */
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string };

export class RestoreJournal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Writes the intent so that it survives a power cut. The work tree must not change before this returns. */
  write(intent: RestoreIntent): void {
    writeAtomically(this.#file, `${JSON.stringify(withSum({ version, ...intent }))}\n`, { durable: true });
  }

  read(): JournalState {
    const text = attempt(isMissing, () => files.readFileSync(this.#file, 'utf8'));
    if (text === undefined) return { kind: 'none' };
    const unreadable = (reason: string): JournalState => ({ kind: 'unreadable', file: this.#file, reason });
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      return unreadable(error instanceof Error ? error.message : 'not JSON');
    }
    if (typeof parsed !== 'object' || parsed === null || !('version' in parsed))
      return unreadable('no version');
    if (parsed.version !== version) return unreadable(`version ${String(parsed.version)}`);
    const missing = ['id', 'target', 'snapshot', 'safety', 'mode', 'scope', 'onConflict', 'startedAt'].find(
      (field) => typeof (parsed as Record<string, unknown>)[field] !== 'string',
    );
    if (missing !== undefined) return unreadable(`no ${missing}`);
    if (!('directories' in parsed) || !Array.isArray(parsed.directories)) return unreadable('no directories');
    if (!isIntact(parsed)) return unreadable('its checksum is wrong');
    const { version: _, sum: __, root, ...rest } = parsed as Note;
    return { kind: 'unfinished', intent: { ...rest, ...given({ root: root && identityIn(root) }) } };
  }

  /** Removes the note so that it does not reappear after a power cut. Does nothing when there is no note. */
  remove(): void {
    files.rmSync(this.#file, { force: true });
    syncDirectory(dirname(this.#file));
  }
}

/** The part of a job that the journal records. */
export function intentOf(
  id: string,
  { job, plan, record, safety }: PreparedJob,
  root: DirectoryIdentity | undefined,
  context: OperationContext,
): RestoreIntent {
  return {
    id,
    target: job.target.record.id,
    snapshot: job.target.record.snapshot,
    safety: safety.record.id,
    mode: job.mode,
    scope: job.scope,
    ...given({ paths: job.paths }),
    onConflict: job.onConflict,
    ...given({ root, boot: bootId() }),
    left: plan.skipped,
    ...(job.takesBack === undefined
      ? {}
      : { takesBack: job.takesBack.restore, isExact: job.takesBack.isExact }),
    ...given({ only: job.only && [...job.only] }),
    directories: plan.directories,
    ...given({ operation: context.stamp.operation as OperationId | undefined }),
    startedAt: record.timestamp,
    extra: { record },
  };
}

/** Returns the checkpoint record in the note, which the restore was to publish. */
export function recordOf({ extra }: RestoreIntent): CheckpointRecord {
  return extra?.record as CheckpointRecord;
}
