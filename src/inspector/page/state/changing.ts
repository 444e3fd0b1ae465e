// A restore, revert, undo or redo on its way: its plan, the question, its progress, its result, and the way back.
import { defineStore } from 'pinia';
import { computed, reactive, ref, shallowRef, watch } from 'vue';
import type {
  ConflictPolicy,
  HunkRef,
  PathRef,
  ProgressValue,
  RestoreMode,
  RestoreResult,
  RestoreScope,
  RevertResult,
} from '../../../protocol/types.ts';
import { type AskOptions, LinkError } from '../wire.ts';
import { useLink } from './link.ts';
import { readSessionHead, useTimeline } from './timeline.ts';

/** The change that the user asked for: a restore of a checkpoint or of some paths of it, a revert, or a step back or forth. */
export type Intent =
  | {
      readonly does: 'restore';
      readonly tag: string;
      readonly label: string;
      readonly paths?: readonly PathRef[];
    }
  | {
      readonly does: 'revert';
      /** The work of one checkpoint, or what changed between two. `to` absent: the present. */
      readonly range: { readonly tag: string } | { readonly from: string; readonly to?: string };
      readonly label: string;
      readonly paths?: readonly PathRef[];
      readonly hunks?: readonly HunkRef[];
    }
  | { readonly does: 'undo'; readonly of?: Reversed }
  | { readonly does: 'redo'; readonly of?: Reversed };

/** The change that an undo or redo reverses. Absent: the last one. */
type Reversed = 'restore' | 'revert';

/** The effects of a change, planned or done. */
export type ChangeEffects = RestoreResult | RevertResult;

export interface Choices {
  mode: RestoreMode;
  scope: RestoreScope;
  onConflict: ConflictPolicy;
  /** The policy of a revert for paths where a later change contradicts it. */
  conflicts: 'leave' | 'markers';
}

type Stage = 'closed' | 'planning' | 'asking' | 'running' | 'done' | 'failed';

const usual: Choices = { mode: 'soft', scope: 'files', onConflict: 'overwrite', conflicts: 'leave' };

function fields() {
  return {
    stage: ref<Stage>('closed'),
    intent: shallowRef<Intent>({ does: 'undo' }),
    choices: reactive<Choices>({ ...usual }),
    plan: shallowRef<ChangeEffects>(),
    result: shallowRef<ChangeEffects>(),
    progress: shallowRef<ProgressValue>(),
    failure: ref<string>(),
  };
}

export const useChanging = defineStore('changing', () => {
  const timeline = useTimeline();
  const known = fields();
  const { stage, intent, choices, plan, result, progress } = known;
  /** The head that the plan was made for: if it moves, the plan is made anew. */
  let planned: string | undefined;
  const { start, signal, cancel } = stepsOf(known);

  const changesNothing = computed(
    () => (intent.value.does !== 'restore' || choices.scope === 'files') && filesIn(plan.value) === 0,
  );

  const onProgress = (value: ProgressValue): void => void (progress.value = value);
  function send(extra: Extra): Promise<ChangeEffects> {
    const about = { ...extra, session: timeline.session, head: planned };
    return sent(intent.value, choices, about, { signal: signal(), onProgress });
  }
  const fail = (error: unknown): void =>
    void ([known.failure.value, stage.value] = [wordsOf(error), 'failed']);

  async function makePlan(isFirst = true): Promise<void> {
    const isCurrent = start('planning');
    planned = timeline.head;
    try {
      const made = await send({ dryRun: true });
      if (isCurrent()) [plan.value, stage.value] = [made, 'asking'];
    } catch (error) {
      if (!isCurrent()) return;
      if (!isFirst || !isHeadMoved(error)) return fail(error);
      // The page has not heard of the newest checkpoint yet.
      await readSessionHead().catch(fail);
      if (isCurrent() && stage.value === 'planning') await makePlan(false);
    }
  }
  async function confirm(): Promise<void> {
    start('running');
    try {
      result.value = await send({ confirm: true, idempotencyKey: crypto.randomUUID() });
      stage.value = 'done';
      timeline.loadSoon();
    } catch (error) {
      // The head has moved since the plan was made: another client made a checkpoint. The user decides anew.
      if (isHeadMoved(error)) await makePlan();
      else fail(error);
    }
  }

  function begin(wanted: Intent): void {
    intent.value = wanted;
    Object.assign(choices, usual);
    [plan.value, result.value] = [undefined, undefined];
    void makePlan();
  }
  const close = (): void => void start('closed');
  /** Takes back what was just done, without another question: it loses nothing, and can be done again. */
  function takeBack(): void {
    intent.value = reverseOf(intent.value);
    Object.assign(choices, usual);
    planned = result.value?.checkpoint?.id;
    void confirm();
  }
  watch(choices, () => {
    if (stage.value === 'asking' || stage.value === 'planning') void makePlan();
  });
  return { ...known, changesNothing, begin, confirm, cancel, close, takeBack };
});

/** Returns the step that leads back. */
function reverseOf(intent: Intent): Intent {
  if (intent.does === 'restore' || intent.does === 'revert') return { does: 'undo', of: intent.does };
  return intent.does === 'undo' ? { ...intent, does: 'redo' } : { ...intent, does: 'undo' };
}

interface Steps {
  /** Starts a stage. The returned function is true while no later stage has begun. */
  readonly start: (now: Stage) => () => boolean;
  readonly signal: () => AbortSignal;
  /** Stops what runs. A plan is given up, and a restore ends as if it had not begun unless it has committed. */
  readonly cancel: () => void;
}

function stepsOf({ stage, progress }: Pick<ReturnType<typeof fields>, 'stage' | 'progress'>): Steps {
  let running = new AbortController();
  return {
    start: (now) => {
      running.abort();
      const own = new AbortController();
      running = own;
      [stage.value, progress.value] = [now, undefined];
      return () => own === running;
    },
    signal: () => running.signal,
    cancel: () => running.abort(),
  };
}

/** True when the session is no longer at the checkpoint that the request expected. */
function isHeadMoved(error: unknown): boolean {
  return error instanceof LinkError && error.kind === 'PreconditionFailed';
}

/** Returns what went wrong. @throws what is no answer of the wire */
function wordsOf(error: unknown): string {
  if (!(error instanceof LinkError)) throw error;
  return error.message;
}

function filesIn(plan: ChangeEffects | undefined): number {
  const { restored = 0, deleted = 0, failed = 0 } = plan?.counts ?? {};
  return restored + deleted + failed;
}

type Extra = { readonly dryRun: true } | { readonly confirm: true; readonly idempotencyKey: string };

function sent(
  intent: Intent,
  { mode, scope, onConflict, conflicts }: Choices,
  { head, ...extra }: Extra & { readonly session: string; readonly head: string | undefined },
  options: AskOptions,
): Promise<ChangeEffects> {
  const link = useLink();
  const expected = { ...extra, ...(head === undefined ? {} : { expect: { head } }) };
  if (intent.does === 'revert') {
    const { does: _, label: __, range, ...only } = intent;
    return link.ask('checkpoint/revert', { ...expected, ...range, ...only, conflicts }, options);
  }
  const shared = { ...expected, mode, onConflict };
  if (intent.does !== 'restore') return link.ask(`checkpoint/${intent.does}`, shared, options);
  const { tag, paths } = intent;
  const only = paths === undefined ? { scope } : { paths };
  return link.ask('checkpoint/restore', { ...shared, tag, ...only }, options);
}
