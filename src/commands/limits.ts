// Which checkpoints of a session may go: by its limits, or because nothing reaches them any more. Never the base, the
// newest, the head, a named one, or one that undo and redo reach; and a safety checkpoint, or one whose tag another
// took, only after a month, because a mistaken way back is noticed late.  `limits.maxCheckpoints` and
// `limits.maxStoreBytes` are also enforced without a client's store/gc: some seconds after a change, in the session's
// queue, and giving way to every request. A kill at any moment leaves checkpoints that the next change, or the next
// opening, removes.
import type { CheckpointId } from '../base/ids.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { baseTag, tagParts, turnTag } from '../checkpoints/tag.ts';
import type { Session, SessionLimits } from '../session/session.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import { removeCheckpoints } from './checkpoint.ts';
import { tangentCheckpoints } from './tangent.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keepSafetyMsDefault = 30 * dayMs;
/** The base and the newest: no limit takes these. */
export const checkpointsMin = 2;
/** Checkpoints removed before it is looked again whether the store fits, or whether a request waits. */
const removedAtOnce = 10;

/** Bytes that the session holds; what only other sessions hold in a shared store does not count. */
export async function bytesHeld({ store }: Checkpoints): Promise<number> {
  return (await store.heldBytes?.()) ?? (await store.usage()).bytes;
}

/** Returns the checkpoints that are too old, too many, or in no list for long and reached by nothing. */
export function expendable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  limits: SessionLimits,
  nowMs: number,
): CheckpointId[] {
  const listed = index.list('all');
  const { maxAgeDays, maxCheckpoints, keepSafetyMs = keepSafetyMsDefault } = limits;
  const going = unlistedLongerThan(index, keepSafetyMs, nowMs);
  if (maxAgeDays !== undefined) {
    going.push(...listed.filter(({ record }) => Date.parse(record.timestamp) < nowMs - maxAgeDays * dayMs));
  }
  const gone = new Set(dispensable(index, needed, going));
  const left = listed.filter(({ record }) => !gone.has(record.id));
  return [...gone, ...excessOf(left, index, needed, maxCheckpoints)];
}

/** Returns the oldest listed checkpoints that are more than `maxCheckpoints`. */
export function excess(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  maxCheckpoints: number | undefined,
): CheckpointId[] {
  return excessOf(index.list('all'), index, needed, maxCheckpoints);
}

/** Counts what may not go, too, so that others go in its place. */
function excessOf(
  listed: readonly StoredCheckpoint[],
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  maxCheckpoints = Number.POSITIVE_INFINITY,
): CheckpointId[] {
  const tooMany = listed.length - Math.max(checkpointsMin, maxCheckpoints);
  return tooMany <= 0 ? [] : dispensable(index, needed, listed).slice(0, tooMany);
}

/**
 * Returns some of the oldest checkpoints that a limit in bytes may take. Those in no list come first: a
 * client sees none of them, and what they hold was taken back.
 */
export function removedBySize(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  nowMs: number,
): CheckpointId[] {
  const unlisted = unlistedLongerThan(index, dayMs, nowMs);
  return dispensable(index, needed, [...unlisted, ...index.list('all')]).slice(0, removedAtOnce);
}

/** Says that a store stays larger than its limit. */
export function overLimitText(bytes: number, maxStoreBytes: number): string {
  return `The session holds ${bytes} bytes, more than limits.maxStoreBytes (${maxStoreBytes}), and no other checkpoint may be removed: the base, the newest, named checkpoints, those that undo or redo needs, and safety checkpoints of the last day stay. Delete some of them, or raise the limit.`;
}

/**
 * Returns unlisted checkpoints that are older than `ms`: safety checkpoints, and turns and tools since
 * another took their tag. The checkpoint of a restore may go at once, because its safety checkpoint and its
 * target hold its contents. A clock that was set back makes no checkpoint old; with `0` every checkpoint is
 * older.
 */
function unlistedLongerThan(index: CheckpointIndex, ms: number, nowMs: number): StoredCheckpoint[] {
  const listed = new Set(index.list('all').map(({ record }) => record.id));
  return index
    .list('every')
    .filter(({ record }) => !listed.has(record.id))
    .filter(
      (each) => each.record.kind === 'restore' || ms === 0 || unlistedSince(index, each.record) < nowMs - ms,
    );
}

/** As far as those tell that bear its tag and that of its turn today. */
function unlistedSince(index: CheckpointIndex, { madeAs, timestamp }: CheckpointRecord): number {
  if (madeAs === undefined) return Date.parse(timestamp);
  const takers = [madeAs, turnTag(tagParts(madeAs).turn)].map((tag) => index.byTag(tag)?.record.timestamp);
  return Math.max(...[timestamp, ...takers].map((time) => Date.parse(time ?? timestamp)));
}

/** Returns the checkpoints of the list that may be removed, in the order of the list. */
function dispensable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  list: readonly StoredCheckpoint[],
): CheckpointId[] {
  const kept = reachable(index);
  const ids = list
    .filter(
      ({ record, name }) =>
        !kept.has(record.id) &&
        !needed.has(record.id) &&
        name === undefined &&
        index.tagOf(record.id) !== baseTag,
    )
    .map(({ record }) => record.id);
  return [...new Set(ids)];
}

/** The newest listed, the head, and the restores and safety checkpoints that undo and redo can still reach. */
function reachable(index: CheckpointIndex): ReadonlySet<CheckpointId> {
  const head = index.head?.record;
  const newest = index.list('all').at(-1)?.record;
  const kept = new Set<CheckpointId>(newest === undefined ? [] : [newest.id]);
  if (head === undefined) return kept;
  kept.add(head.id);
  if (head.safety !== undefined) kept.add(head.safety);
  for (const id of [...(head.undo ?? []), ...(head.redo ?? [])]) {
    kept.add(id);
    const safety = index.byId(id)?.record.safety;
    if (safety !== undefined) kept.add(safety);
  }
  return kept;
}

/** After a change: a burst of changes is collected once. */
const restMs = 10_000;
/** After it gave way to a request. */
const againMs = 1_000;
/** After so long of giving way it takes one step anyway: the limits are kept within a minute. */
const patienceMs = 30_000;
/** Between two sweeps for the limit of checkpoints alone, which needs none. */
const sweepEveryMs = 60_000;

const keepers = new WeakMap<Session, LimitKeeper>();

/** Has the limits of a session that has some looked at in a while. Called after each change, and after opening. */
export function keepLimitsLater(session: Session): void {
  const keeper = keepers.get(session) ?? new LimitKeeper(session);
  keepers.set(session, keeper);
  keeper.lookIn(restMs);
}

/** Returns what the client has to know of its limits, each text once. */
export function limitWarnings(session: Session): readonly string[] {
  return keepers.get(session)?.takeWarnings() ?? [];
}

class LimitKeeper {
  readonly #session: Session;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** When it first gave way, while it has not come to an end. */
  #sinceMs: number | undefined;
  #isOver = false;
  #warnings: string[] = [];
  #hasRemoved = false;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Looks after so long, or when an earlier call said, whichever comes first. */
  lookIn(ms: number): void {
    const dueMs = this.#session.parts.clock.monotonic() + ms;
    if (dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      void this.#look();
    }, ms).unref();
  }

  takeWarnings(): string[] {
    return this.#warnings.splice(0);
  }

  async #look(): Promise<void> {
    const { queue, log, clock } = this.#session.parts;
    try {
      const isDone = await queue.runAside((signal) => this.#keep(signal), 'limits');
      if (isDone === undefined) return; // the session is closed
      this.#sinceMs = isDone ? undefined : (this.#sinceMs ?? clock.monotonic());
      if (!isDone) this.lookIn(againMs);
      else if (this.#hasRemoved) this.lookIn(sweepEveryMs);
    } catch (error) {
      // The next change has them looked at again.
      log.warn(`the daemon could not apply the limits of a session: ${String(error)}`);
    }
  }

  /** Returns false when it gave way before it was done. Something is removed each time, so it comes to an end. */
  async #keep(signal: AbortSignal): Promise<boolean> {
    const { enabled, hasUnfinishedRestore, parts } = this.#session;
    if (enabled === undefined || hasUnfinishedRestore) return true;
    const { conversation, options } = parts;
    const needed = tangentCheckpoints(enabled.index, conversation);
    try {
      for (;;) {
        const ids = excess(enabled.index, needed, options.limits.maxCheckpoints).slice(0, removedAtOnce);
        if (ids.length === 0) break;
        await this.#remove(ids);
        signal.throwIfAborted();
      }
      await this.#fit(needed, signal);
      const isSweepDue = parts.clock.monotonic() - this.#sweptMs >= sweepEveryMs;
      if (this.#hasRemoved && isSweepDue) await this.#sweep(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** Removes the oldest, some at a time, until the store fits or nothing more may go. */
  async #fit(needed: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { parts } = this.#session;
    const checkpoints = this.#session.requireCheckpoints();
    const { maxStoreBytes } = parts.options.limits;
    if (maxStoreBytes === undefined) return;
    if ((await bytesHeld(checkpoints)) > maxStoreBytes) await this.#sweep(signal);
    let bytes = await bytesHeld(checkpoints);
    while (bytes > maxStoreBytes) {
      const oldest = removedBySize(checkpoints.index, needed, parts.clock.now());
      if (oldest.length === 0) break;
      await this.#remove(oldest);
      await this.#sweep(signal);
      bytes = await bytesHeld(checkpoints);
      signal.throwIfAborted();
    }
    const isOver = bytes > maxStoreBytes;
    if (isOver && !this.#isOver) {
      this.#warnings = [overLimitText(bytes, maxStoreBytes)];
      parts.log.warn(overLimitText(bytes, maxStoreBytes));
    }
    this.#isOver = isOver;
  }

  async #remove(ids: Parameters<typeof removeCheckpoints>[1]): Promise<void> {
    this.#hasRemoved = true;
    const { log } = this.#session.parts;
    const context: OperationContext = {
      signal: new AbortController().signal, // a removal that has begun is finished
      stamp: {},
      noteRecovered: () => undefined,
      progress: () => () => undefined,
      warn: (warning) => log.warn(warning),
    };
    log.debug(
      `${await removeCheckpoints(this.#session, ids, context)} checkpoints beyond the limits removed`,
    );
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const nowMs = this.#session.parts.clock.monotonic();
    const isPatient = nowMs - (this.#sinceMs ?? nowMs) < patienceMs;
    await this.#session.requireCheckpoints().store.sweep(isPatient ? signal : undefined);
    this.#hasRemoved = false;
    this.#sweptMs = nowMs;
  }
}
