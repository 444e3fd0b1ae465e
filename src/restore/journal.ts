// The note about a running restore: a small durable file. The note is written before the first change of the work tree,
// and is removed after the last change. The note does not contain the plan, but the facts that a new plan needs. A
// repeated run plans from the files that are on disk at that time. Recovery, not the journal, decides what to do with
// an unfinished restore.
import { dirname } from 'node:path';
import { syncDirectory, writeDurablyAfter } from '../base/atomic-file.ts';
import { attempt, isMissing } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import type { DirectoryIdentity } from '../base/directory-identity.ts';
import { files } from '../base/files.ts';
import type { CheckpointId, OperationId, SnapshotId } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import { bootId } from '../base/process-lock.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { LeftAlone } from './plan.ts';
import type { PreparedRestore } from './restore-job.ts';

const version = 1;

/**
 * The intent of a restore. An intent can be written as JSON: a TreePath is a latin1 string, so JSON preserves all its
 * bytes.
 */
export interface RestoreIntent {
  /** The id of the restore: 20 characters, which are part of every temporary name of the restore. */
  readonly id: string;
  readonly target: CheckpointId;
  readonly snapshot: SnapshotId;
  /** The checkpoint of the state before the restore. */
  readonly safety: CheckpointId;
  readonly mode: 'soft' | 'hard';
  readonly scope: 'files' | 'conversation' | 'both';
  readonly paths?: readonly TreePath[] | undefined;
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /**
   * The directory that the restore changes. A note of an earlier version lacks this field and the three fields after
   * it.
   */
  readonly root?: DirectoryIdentity | undefined;
  /** The id of the machine's boot, on systems that have such an id. */
  readonly boot?: string | undefined;
  /** The paths that the restore skipped on purpose. A repeated run skips these paths, too. */
  readonly left?: readonly LeftAlone[];
  /** The restore that an undo or a redo reverses. */
  readonly takesBack?: CheckpointId;
  /** True when the undo or redo restores the whole earlier state, and not only the paths that the restore changed. */
  readonly isExact?: boolean;
  /** The restore may change only these paths, even in a repeated run. When absent, the restore may change all paths. */
  readonly only?: readonly TreePath[] | undefined;
  /**
   * The `directories` of the plan. If the first run emptied one of these directories, a repeated run removes this
   * directory.
   */
  readonly directories: readonly TreePath[];
  readonly operation?: OperationId | undefined;
  /** The time when the restore started (RFC 3339), for people who read the file. */
  readonly startedAt: string;
  /** Data of the session that the journal does not interpret. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * The form of the note on disk. An earlier version called a directory's birth time `born`, and also noted the
 * directory's device.
 */
interface Note extends Omit<RestoreIntent, 'root'> {
  readonly version: number;
  readonly sum?: string;
  readonly root?: DirectoryIdentity | { readonly inode: string; readonly born: string };
}

function identityIn(root: NonNullable<Note['root']>): DirectoryIdentity {
  return 'born' in root ? { inode: root.inode, birth: root.born } : root;
}

/** The content of the journal: no note, the note of an unfinished restore, or an unreadable note. */
type JournalState =
  | { readonly kind: 'none' }
  | { readonly kind: 'unfinished'; readonly intent: RestoreIntent }
  /**
   * A note that this version cannot read. The daemon does not change the file, because a person or a newer version may
   * be able to read it.
   */
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string };

export class RestoreJournal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Writes the intent so that it survives a power cut. The intent gets its name only after `saved` has resolved: `saved`
   * syncs the copies of the files that the restore displaces. The caller must not change the work tree before this
   * function resolves.
   */
  write(intent: RestoreIntent, saved: () => Promise<unknown>): Promise<void> {
    const text = `${JSON.stringify(withSum({ version, ...intent }))}\n`;
    return writeDurablyAfter(this.#file, text, saved);
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
    if (!isObject<keyof Note>(parsed) || !('version' in parsed)) return unreadable('no version');
    if (parsed.version !== version) return unreadable(`version ${String(parsed.version)}`);
    const missing = (
      ['id', 'target', 'snapshot', 'safety', 'mode', 'scope', 'onConflict', 'startedAt'] as const
    ).find((field) => typeof parsed[field] !== 'string');
    if (missing !== undefined) return unreadable(`no ${missing}`);
    if (!('directories' in parsed) || !Array.isArray(parsed.directories)) return unreadable('no directories');
    if (!isIntact(parsed)) return unreadable('its checksum is wrong');
    const { version: _, sum: __, root, ...rest } = parsed as Note;
    return { kind: 'unfinished', intent: { ...rest, root: root && identityIn(root) } };
  }

  /** Removes the note so that it does not reappear after a power cut. Does nothing when there is no note. */
  remove(): void {
    files.rmSync(this.#file, { force: true });
    syncDirectory(dirname(this.#file));
  }
}

/** Returns the intent of a job. The journal records this intent. */
export function intentOf(
  id: string,
  { goal, plan, record, safety }: PreparedRestore,
  root: DirectoryIdentity | undefined,
  context: OperationContext,
): RestoreIntent {
  return {
    id,
    target: goal.target.record.id,
    snapshot: goal.target.record.snapshot,
    safety: safety.record.id,
    mode: goal.mode,
    scope: goal.scope,
    paths: goal.paths,
    onConflict: goal.onConflict,
    root,
    boot: bootId(),
    left: plan.skipped,
    ...(goal.undoes === undefined ? {} : { takesBack: goal.undoes.restore, isExact: goal.undoes.isExact }),
    only: goal.only && [...goal.only],
    directories: plan.directories,
    operation: context.stamp.operation as OperationId | undefined,
    startedAt: record.timestamp,
    extra: { record },
  };
}

/** Returns the checkpoint record from the note. The restore would have published this record at its end. */
export function recordOf({ extra }: RestoreIntent): CheckpointRecord {
  return extra?.record as CheckpointRecord;
}
