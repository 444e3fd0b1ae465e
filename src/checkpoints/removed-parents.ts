// Remembers the parents of removed checkpoints. The record of a checkpoint names its parent. When that parent is
// removed, this class still knows the parent's parent, so that the line of the head has no gap. Also remembers removed
// turns: a turn that takes the tag of an old turn also takes the tags of that turn's tools.
import type { CheckpointId, Tag } from '../base/ids.ts';
import type { LogRecord, RecordLog } from '../conversation/log/session-log.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';

interface LoggedParents extends LogRecord {
  readonly kind: 'descent';
  /** The parent of each removed checkpoint, by the id of the removed checkpoint. */
  readonly parents: Readonly<Record<string, string>>;
  /** The removed turns. Absent in records of earlier versions. */
  readonly turns?: readonly RemovedTurn[] | undefined;
}

/** A turn that was removed, and the tag with which it was made. */
interface RemovedTurn {
  readonly seq: number;
  readonly tag: Tag;
}

function isOfParents(record: LogRecord): record is LoggedParents {
  return record.kind === 'descent' && 'parents' in record;
}

export class RemovedParents {
  readonly #log: Pick<RecordLog, 'append'>;
  readonly #parents = new Map<string, string>();
  /** The removed turns. */
  readonly turns: RemovedTurn[] = [];

  /** Reads the earlier removals from the log. */
  constructor(log: Pick<RecordLog, 'append'>, logged: readonly LogRecord[] = []) {
    this.#log = log;
    for (const record of logged) if (isOfParents(record)) this.#learn(record);
  }

  /** Returns the parent of a removed checkpoint. For an existing checkpoint, the record names the parent. */
  parentOf(id: CheckpointId): CheckpointId | undefined {
    return this.#parents.get(id) as CheckpointId | undefined;
  }

  /**
   * Records the parents of checkpoints that the caller is going to remove. Must be called before the removal. If the
   * process is killed before the removal, the recorded parents do no harm, because they are correct. @throws NoSpace,
   * StoreUnavailable. After an error, only this process knows the parents
   */
  record(going: readonly CheckpointRecord[]): void {
    const pairs = going.flatMap(({ id, parent }) => (parent === undefined ? [] : [[id, parent] as const]));
    const turns = going.flatMap(({ kind, seq, madeAs }) =>
      kind === 'turn' && madeAs !== undefined ? [{ seq, tag: madeAs }] : [],
    );
    if (pairs.length + turns.length === 0) return;
    const logged: LoggedParents = {
      kind: 'descent',
      parents: Object.fromEntries(pairs),
      turns: turns.length === 0 ? undefined : turns,
    };
    this.#learn(logged);
    this.#log.append(logged);
  }

  #learn({ parents, turns = [] }: LoggedParents): void {
    for (const [id, parent] of Object.entries(parents)) this.#parents.set(id, parent);
    this.turns.push(...turns);
  }
}
