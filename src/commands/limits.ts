// Enforces `limits.maxCheckpoints` and `limits.maxStoreBytes`, even if no client sends store/gc: removes the checkpoints
// that checkpoints/expendable.ts chooses. This happens in the session's queue, some seconds after a change. Every waiting request
// runs before the limits are enforced. If the daemon is killed during a removal, the removal continues after the next
// change or the next opening.
import { systemClock } from '../base/clock.ts';
import type { CheckpointId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { excess, oldest } from '../checkpoints/expendable.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { Session } from '../session/session.ts';
import { removeCheckpoints } from './checkpoint.ts';
import { tangentCheckpoints } from './tangent.ts';

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
 * Lets the caller remove the oldest checkpoints, a few at a time, until the store fits the limit or no more checkpoints
 * may be removed. Returns the size of the session's data in bytes.
 */
export async function fitStore(
  checkpoints: Checkpoints,
  needed: ReadonlySet<string>,
  maxStoreBytes: number,
  removeAndSweep: (ids: readonly CheckpointId[]) => Promise<void>,
): Promise<number> {
  let bytes = await bytesUsed(checkpoints);
  while (bytes > maxStoreBytes) {
    const ids = oldest(checkpoints.index, needed, systemClock.now(), removedAtOnce);
    if (ids.length === 0) break;
    await removeAndSweep(ids);
    bytes = await bytesUsed(checkpoints);
  }
  return bytes;
}

/** Returns the warning that a store is still larger than its limit. */
export function overLimitText(bytes: number, maxStoreBytes: number): string {
  return `The session holds ${bytes} bytes, more than limits.maxStoreBytes (${maxStoreBytes}). The daemon cannot remove more checkpoints, because it keeps the base, the newest checkpoint, named checkpoints, checkpoints that undo or redo needs, and safety checkpoints of the last day. Delete some of these checkpoints with checkpoint/delete, or raise the limit.`;
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
    const bytes = await fitStore(checkpoints, needed, maxStoreBytes, async (ids) => {
      await this.#remove(ids);
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
