// Tangent mode as a session uses it: enter, leave, ask. What a tangent puts aside and brings back is tangent.ts; the
// files, where a tangent carries them, are the session's.
import type { Clock } from '../base/clock.ts';
import { type ExitResult, lengthsOf } from './answers.ts';
import { present } from './document/import-parts.ts';
import type { ConversationRef, Idempotency, Timeline } from './log/timeline.ts';
import { addedBy, tailOf, tangentSeconds } from './tangent.ts';

export class TangentMode {
  readonly #timeline: Timeline;
  readonly #clock: Clock;

  constructor(timeline: Timeline, clock: Clock) {
    this.#timeline = timeline;
    this.#clock = clock;
  }

  /** Puts the conversation aside for another one. Inside a tangent: nothing, and `entered: false`. */
  enter(
    options: {
      readonly filesCheckpoint?: string | undefined;
      readonly idempotency?: Idempotency | undefined;
    } = {},
  ): { entered: boolean; filesCheckpoint?: string } {
    const { filesCheckpoint, idempotency } = options;
    const operation = { op: 'enterTangent', startMs: this.#clock.now() } as const;
    return this.#timeline.commit(
      filesCheckpoint === undefined ? operation : { ...operation, filesCheckpoint },
      (before) =>
        before.thread.tangent === undefined
          ? { entered: true, ...present({ filesCheckpoint }) }
          : { entered: false },
      idempotency,
    );
  }

  /** Brings the main conversation back, with the tangent's last entry if `keepTail` and if it added one. */
  exit(
    options: { readonly keepTail?: boolean | undefined; readonly idempotency?: Idempotency | undefined } = {},
  ): ExitResult {
    const keepTail = options.keepTail ?? false;
    return this.#timeline.commit(
      { op: 'exitTangent', keepTail },
      ({ thread }, after) => ({
        exited: thread.tangent !== undefined,
        ...present({ tail: keepTail ? tailOf(thread)?.id : undefined }),
        ...present({ filesCheckpoint: thread.tangent?.filesCheckpoint }),
        ...lengthsOf(after.thread),
      }),
      options.idempotency,
    );
  }

  /**
   * Leaves a tangent that carries files: logs the state after it without moving the head. Restoring the files ends
   * in a checkpoint that names this state, so files and conversation come back together or not at all.
   */
  proposeExit(): ConversationRef {
    return this.#timeline.propose({ op: 'exitTangent', keepTail: false });
  }

  /** Whether the conversation is in a tangent, for how many whole seconds (C20), and what it added. */
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
