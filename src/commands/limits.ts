// Decides which checkpoints of a session may be removed. Some checkpoints exceed a limit; others are no longer
// reachable by any request. Never removes the base, the newest checkpoint, the head, a named checkpoint, or a
// checkpoint that undo or redo needs. Two kinds of checkpoints are removed only after a month: safety checkpoints, and
// checkpoints that have lost their tag to another checkpoint. Users who notice a mistaken restore late may need these
// checkpoints. The daemon enforces `limits.maxCheckpoints` and `limits.maxStoreBytes` even if no client sends
// store/gc. The daemon enforces these limits in the session's queue, some seconds after a change. Every waiting
// request runs before the limits are enforced. If the daemon is killed during a removal, the removal continues after
// the next change or the next opening.
import { systemClock } from '../base/clock.ts';
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
/** A limit always leaves at least this many checkpoints: the base and the newest checkpoint. */
export const checkpointsMin = 2;
/**
 * The number of checkpoints that are removed in one step. After each step, the daemon checks whether the store fits and
 * whether a request is waiting.
 */
const removedAtOnce = 10;

/** Returns the size of the session's data in bytes. Data of other sessions in a shared store does not count. */
async function bytesUsed({ store }: Checkpoints): Promise<number> {
  return (await store.sessionBytes?.()) ?? (await store.usage()).bytes;
}

/**
 * Returns the checkpoints that store/gc removes. These checkpoints are too old, exceed the maximum number, or have long
 * been unlisted and are not needed.
 */
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

/** Returns the oldest listed checkpoints that exceed `maxCheckpoints`. */
export function excess(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  maxCheckpoints: number | undefined,
): CheckpointId[] {
  return excessOf(index.list('all'), index, needed, maxCheckpoints);
}

/**
 * Returns the oldest listed checkpoints that exceed the limit. Protected checkpoints count towards the limit, but only
 * other checkpoints are returned.
 */
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
 * Returns some of the oldest checkpoints that may be removed because of a limit in bytes. Unlisted checkpoints come
 * first, because clients do not see these checkpoints.
 */
function removedBySize(index: CheckpointIndex, needed: ReadonlySet<string>, nowMs: number): CheckpointId[] {
  const unlisted = unlistedLongerThan(index, dayMs, nowMs);
  return dispensable(index, needed, [...unlisted, ...index.list('all')]).slice(0, removedAtOnce);
}

/**
 * Lets the caller remove the oldest checkpoints, a few at a time, until the store fits the limit or no more checkpoints
 * may be removed. Returns the size of the session's data in bytes.
 */
export async function fitStore(
  checkpoints: Checkpoints,
  needed: ReadonlySet<string>,
  maxStoreBytes: number,
  removeAndSweep: (oldest: readonly CheckpointId[]) => Promise<void>,
): Promise<number> {
  let bytes = await bytesUsed(checkpoints);
  while (bytes > maxStoreBytes) {
    const oldest = removedBySize(checkpoints.index, needed, systemClock.now());
    if (oldest.length === 0) break;
    await removeAndSweep(oldest);
    bytes = await bytesUsed(checkpoints);
  }
  return bytes;
}

/** Returns the warning that a store is still larger than its limit. */
export function overLimitText(bytes: number, maxStoreBytes: number): string {
  return `The session holds ${bytes} bytes, more than limits.maxStoreBytes (${maxStoreBytes}). The daemon cannot remove more checkpoints, because it keeps the base, the newest checkpoint, named checkpoints, checkpoints that undo or redo needs, and safety checkpoints of the last day. Delete some of these checkpoints with checkpoint/delete, or raise the limit.`;
}

/**
 * Returns the checkpoints that have been unlisted for longer than `ms`. A turn or tool becomes unlisted when another
 * checkpoint takes its tag. A safety checkpoint is never listed. The checkpoint of a restore may be removed at once,
 * because its contents are also in the target and in the safety checkpoint of the restore. Setting the clock back does
 * not make any checkpoint older. If `ms` is 0, returns all unlisted checkpoints.
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

/**
 * Returns the time when a checkpoint became unlisted, because a later checkpoint took its tag or the tag of its turn.
 */
function unlistedSince(index: CheckpointIndex, { madeAs, timestamp }: CheckpointRecord): number {
  if (madeAs === undefined) return Date.parse(timestamp);
  const takers = [madeAs, turnTag(tagParts(madeAs).turn)].map((tag) => index.byTag(tag)?.record.timestamp);
  return Math.max(...[timestamp, ...takers].map((time) => Date.parse(time ?? timestamp)));
}

/** Returns the listed checkpoints that may be removed, in the order of the list. */
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

/**
 * Returns the newest listed checkpoint, the head, and the restores and safety checkpoints that undo and redo can
 * still reach.
 */
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

/** The delay between a change and the check of the limits, so that one check is enough for several changes. */
const restMs = 10_000;
/** After a request has interrupted the removal, the removal waits this long before it continues. */
const againMs = 1_000;
/**
 * If requests have delayed the removal for this time, the removal makes one step although requests are waiting. The
 * limits are thus enforced within a minute.
 */
const patienceMs = 30_000;
/**
 * The minimum interval between sweeps of unused contents, if only the number of checkpoints is limited. Without a limit
 * in bytes, sweeps are not urgent.
 */
const sweepEveryMs = 60_000;

const keepers = new WeakMap<Session, LimitKeeper>();

/**
 * Schedules a check of the session's limits, if there are any. Called after each change, and after the session is
 * opened.
 */
export function keepLimitsLater(session: Session): void {
  const keeper = keepers.get(session) ?? new LimitKeeper(session);
  keepers.set(session, keeper);
  keeper.enforceIn(restMs);
}

/** Returns the new warnings about limits for the client. Returns each warning only once. */
export function limitWarnings(session: Session): readonly string[] {
  return keepers.get(session)?.takeWarnings() ?? [];
}

class LimitKeeper {
  readonly #session: Session;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** The time at which requests began to delay the removal. Undefined when the removal is complete. */
  #sinceMs: number | undefined;
  #isOver = false;
  #warnings: string[] = [];
  #hasRemoved = false;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Schedules a check after `ms` milliseconds. Does nothing if a check is already scheduled for this time or an earlier
   * time.
   */
  enforceIn(ms: number): void {
    const dueMs = systemClock.monotonic() + ms;
    if (dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      void this.#enforce();
    }, ms).unref();
  }

  takeWarnings(): string[] {
    return this.#warnings.splice(0);
  }

  async #enforce(): Promise<void> {
    const { queue, log } = this.#session.parts;
    try {
      const isDone = await queue.runPreemptible((signal) => this.#keep(signal), 'limits');
      if (isDone === undefined) return; // the session is closed
      this.#sinceMs = isDone ? undefined : (this.#sinceMs ?? systemClock.monotonic());
      if (!isDone) this.enforceIn(againMs);
      else if (this.#hasRemoved) this.enforceIn(sweepEveryMs);
    } catch (error) {
      // The next change schedules another check.
      log.warn(`the daemon could not apply the limits of a session: ${String(error)}`);
    }
  }

  /**
   * Enforces the limits. Returns false when a request interrupted the removal. Each run removes something, so the
   * removal is complete after some runs.
   */
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
      const isSweepDue = systemClock.monotonic() - this.#sweptMs >= sweepEveryMs;
      if (this.#hasRemoved && isSweepDue) await this.#sweep(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** Removes the oldest checkpoints until the store fits the limit, and warns if the store stays too large. */
  async #fit(needed: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { parts } = this.#session;
    const checkpoints = this.#session.requireCheckpoints();
    const { maxStoreBytes } = parts.options.limits;
    if (maxStoreBytes === undefined) return;
    if ((await bytesUsed(checkpoints)) > maxStoreBytes) await this.#sweep(signal);
    const bytes = await fitStore(checkpoints, needed, maxStoreBytes, async (oldest) => {
      await this.#remove(oldest);
      await this.#sweep(signal);
      signal.throwIfAborted();
    });
    const isOver = bytes > maxStoreBytes;
    if (isOver && !this.#isOver) {
      this.#warnings = [overLimitText(bytes, maxStoreBytes)];
      parts.log.warn(overLimitText(bytes, maxStoreBytes));
    }
    this.#isOver = isOver;
  }

  async #remove(ids: readonly CheckpointId[]): Promise<void> {
    this.#hasRemoved = true;
    const { log } = this.#session.parts;
    const context: OperationContext = {
      signal: new AbortController().signal, // no request cancels a removal that has begun
      stamp: {},
      onRecovered: () => undefined,
      progress: () => () => undefined,
      warn: (warning) => log.warn(warning),
    };
    log.debug(
      `checkpoints removed to meet the limits: ${await removeCheckpoints(this.#session, ids, context)}`,
    );
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const nowMs = systemClock.monotonic();
    const isPatient = nowMs - (this.#sinceMs ?? nowMs) < patienceMs;
    await this.#session.requireCheckpoints().store.sweep(isPatient ? signal : undefined);
    this.#hasRemoved = false;
    this.#sweptMs = nowMs;
  }
}
