// Keeps `limits.maxCheckpoints` and `limits.maxStoreBytes` of a session without a client's store/gc: some seconds after a
// change, in the session's queue, and giving way to every request. It removes what store/gc would remove for these
// limits. A kill at any moment leaves checkpoints that the next change, or the next opening, removes.
import type { OperationContext } from '../checkpoints/operation.ts';
import type { Session } from '../session/session.ts';
import { removeCheckpoints } from './checkpoint.ts';
import { bytesHeld, excess, overLimitText, removedBySize } from './expendable.ts';
import { tangentCheckpoints } from './tangent.ts';

/** After a change: a burst of changes is collected once. */
const restMs = 10_000;
/** After it gave way to a request. */
const againMs = 1_000;
/** After so long of giving way it takes one step all the same: the limits are kept within a minute. */
const patienceMs = 30_000;
/** Checkpoints removed before it looks whether a request waits. */
const removedAtOnce = 10;
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
      log.warn(`the limits of a session could not be kept: ${String(error)}`);
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
