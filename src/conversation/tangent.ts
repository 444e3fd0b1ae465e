// The tangents of a session: enter, leave, status. The session handles the files of a tangent.
import type { Clock } from '../base/clock.ts';
import type { EntryId } from './entry.ts';
import type { ConversationRef, Keyed, Timeline } from './log/timeline.ts';
import { addedBy, type Lengths, lengthsOf, tailOf, tangentSeconds } from './state/state.ts';

export interface ExitResult extends Lengths {
  readonly exited: boolean;
  readonly tail?: EntryId | undefined;
  /** The checkpoint with the files as they were before the tangent. The session restores this checkpoint. */
  readonly filesCheckpoint?: string | undefined;
}

export class TangentMode {
  readonly #timeline: Timeline;
  readonly #clock: Clock;

  constructor(timeline: Timeline, clock: Clock) {
    this.#timeline = timeline;
    this.#clock = clock;
  }

  /**
   * Enters a tangent and puts the main conversation aside. If the conversation is already in a tangent, does nothing
   * and returns `entered: false`.
   */
  enter({ filesCheckpoint, idempotency }: Keyed & { readonly filesCheckpoint?: string | undefined } = {}): {
    entered: boolean;
    filesCheckpoint?: string | undefined;
  } {
    const operation = { op: 'enterTangent', startMs: this.#clock.now() } as const;
    return this.#timeline.commit(
      filesCheckpoint === undefined ? operation : { ...operation, filesCheckpoint },
      (before) =>
        before.thread.tangent === undefined ? { entered: true, filesCheckpoint } : { entered: false },
      idempotency,
    );
  }

  /**
   * Returns to the main conversation. If `keepTail` is true and the tangent has entries, adds the tangent's last entry
   * to the main conversation.
   */
  exit(options: Keyed & { readonly keepTail?: boolean | undefined } = {}): ExitResult {
    const keepTail = options.keepTail ?? false;
    return this.#timeline.commit(
      { op: 'exitTangent', keepTail },
      ({ thread }, after) => ({
        exited: thread.tangent !== undefined,
        tail: keepTail ? tailOf(thread)?.id : undefined,
        filesCheckpoint: thread.tangent?.filesCheckpoint,
        ...lengthsOf(after.thread),
      }),
      options.idempotency,
    );
  }

  /**
   * Prepares to leave a tangent with files. Logs the state that follows the tangent, without moving the head. The
   * restore of the files publishes a checkpoint with this state. So either both files and conversation are restored, or
   * neither.
   */
  proposeExit(): ConversationRef {
    return this.#timeline.propose({ op: 'exitTangent', keepTail: false });
  }

  /**
   * Returns whether the conversation is in a tangent. In a tangent, also returns the tangent's age in whole seconds
   * (C20) and the number of entries that the tangent added.
   */
  status(): { active: boolean; durationSeconds?: number; added?: number } {
    const { tangent, history } = this.#timeline.present.thread;
    if (tangent === undefined) return { active: false };
    return {
      active: true,
      durationSeconds: tangentSeconds(tangent, this.#clock.now()),
      added: addedBy(tangent, history),
    };
  }
}
