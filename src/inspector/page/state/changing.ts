// Manages a restore, revert, undo or redo: the plan, the question to the user, the progress and the result. Also
// manages the undo that reverses this change afterwards.
import { defineStore } from 'pinia';
import { computed, reactive, ref, shallowRef, watch } from 'vue';
import type { ProgressValue } from '../../../protocol/types.ts';
import { type AskOptions, LinkError, messageOf } from '../wire.ts';
import { type ChangeEffects, type Choices, type Intent, reverseOf, usual } from './intent.ts';
import { useLink } from './link.ts';
import { usePicked } from './picked.ts';
import { patchOf } from './planned-patch.ts';
import { readSessionHead, useTimeline } from './timeline.ts';

type Stage = 'closed' | 'planning' | 'asking' | 'running' | 'done' | 'failed';

function fields() {
  return {
    stage: ref<Stage>('closed'),
    intent: shallowRef<Intent>({ does: 'undo' }),
    choices: reactive<Choices>({ ...usual }),
    plan: shallowRef<ChangeEffects>(),
    /**
     * The plan as a unified patch. Undefined until the daemon has made the patch. Empty when the patch is too long or
     * unknown.
     */
    patch: ref<string>(),
    /** The reason why the daemon could not make the patch. The user can still confirm the plan. */
    unread: ref<string>(),
    result: shallowRef<ChangeEffects>(),
    progress: shallowRef<ProgressValue>(),
    failure: ref<string>(),
    /** The reason why no plan is possible with the user's choices. The user can then change the choices. */
    refusal: ref<string>(),
  };
}

type Fields = ReturnType<typeof fields>;

/** Forgets the plan and the result of the previous change. */
function forget({ plan, patch, unread, result, refusal }: Fields): void {
  [plan.value, patch.value, unread.value] = [undefined, undefined, undefined];
  [result.value, refusal.value] = [undefined, undefined];
}

/** Shows the reason why no plan is possible with these choices, so that the user can change them. */
function refuse(known: Fields, error: LinkError): void {
  forget(known);
  [known.refusal.value, known.stage.value] = [error.message, 'asking'];
}

/**
 * Reads the patch of the plan. Shows the patch, or the reason why the patch cannot be read. Shows nothing if the user
 * has requested a new plan meanwhile. @throws when the head has moved
 */
async function showPatch(
  { intent, plan, patch, unread }: Fields,
  again: () => Promise<ChangeEffects>,
  signal: AbortSignal,
  isCurrent: () => boolean,
): Promise<void> {
  if (plan.value === undefined) return;
  try {
    const text = await patchOf(intent.value, plan.value, again, signal);
    if (isCurrent()) patch.value = text;
  } catch (error) {
    if (isHeadMoved(error)) throw error;
    if (isCurrent()) unread.value = messageOf(error);
  }
}

function fail({ failure, stage }: Fields, error: unknown): void {
  [failure.value, stage.value] = [messageOf(error), 'failed'];
}

export const useChanging = defineStore('changing', () => {
  const timeline = useTimeline();
  const known = fields();
  const { stage, intent, choices, plan, result, progress } = known;
  /** The head for which the plan was made. When the head moves, the page makes a new plan. */
  let planned: string | undefined;
  const { start, signal, cancel } = stepsOf(known);

  const isOfFiles = (): boolean => intent.value.does !== 'restore' || choices.scope === 'files';
  const changesNothing = computed(() => isOfFiles() && filesIn(plan.value) === 0);

  const onProgress = (value: ProgressValue): void => void (progress.value = value);
  function send(extra: Extra): Promise<ChangeEffects> {
    const about = { ...extra, session: timeline.session, head: planned };
    return sent(intent.value, choices, about, { signal: signal(), onProgress });
  }
  async function makePlan(isFirst = true): Promise<void> {
    const isCurrent = start('planning');
    planned = timeline.head;
    try {
      const made = await send({ dryRun: true });
      if (!isCurrent()) return;
      forget(known);
      [plan.value, stage.value] = [made, 'asking'];
      await showPatch(known, () => send({ dryRun: true, patch: true }), signal(), isCurrent);
    } catch (error) {
      if (!isCurrent()) return;
      if (choices.author !== '' && isUnknown(error)) return refuse(known, error);
      if (!isFirst || !isHeadMoved(error)) return fail(known, error);
      // Perhaps the page did not know the newest checkpoint yet. So the page reads the head again and makes the plan
      // once more.
      await readSessionHead().catch((why: unknown) => fail(known, why));
      if (isCurrent() && stage.value === 'planning') await makePlan(false);
    }
  }
  async function confirm(): Promise<void> {
    start('running');
    try {
      result.value = await send({ confirm: true, idempotencyKey: crypto.randomUUID() });
      stage.value = 'done';
      if (intent.value.does === 'revert') usePicked().drop(intent.value.hunks ?? []);
      timeline.loadSoon();
    } catch (error) {
      // The head has moved, because a different client made a checkpoint after the plan. The user gets a new plan and
      // decides again.
      if (isHeadMoved(error)) await makePlan();
      else fail(known, error);
    }
  }

  function begin(wanted: Intent): void {
    intent.value = wanted;
    Object.assign(choices, usual);
    forget(known);
    void makePlan();
  }
  const close = (): void => void start('closed');
  /** Undoes the last change without a question, because an undo loses nothing and can itself be undone. */
  function undo(): void {
    intent.value = reverseOf(intent.value);
    Object.assign(choices, usual);
    planned = result.value?.checkpoint?.id;
    void confirm();
  }
  watch(choices, () => {
    if (stage.value === 'asking' || stage.value === 'planning') void makePlan();
  });
  return { ...known, changesNothing, begin, confirm, cancel, close, undo };
});

interface Steps {
  /** Starts a stage of the change. Returns a function that returns true as long as no later stage has begun. */
  readonly start: (now: Stage) => () => boolean;
  readonly signal: () => AbortSignal;
  /** Cancels the running request. If a restore is cancelled before its commit, no file has changed. */
  readonly cancel: () => void;
}

function stepsOf({ stage, progress }: Pick<Fields, 'stage' | 'progress'>): Steps {
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

/** True when the error says that the ledger does not know the author. */
function isUnknown(error: unknown): error is LinkError {
  return error instanceof LinkError && error.kind === 'UnknownPart';
}

/** True when the error says that the session has left the checkpoint which the request expected. */
function isHeadMoved(error: unknown): boolean {
  return error instanceof LinkError && error.kind === 'PreconditionFailed';
}

function filesIn(plan: ChangeEffects | undefined): number {
  const { restored = 0, deleted = 0, failed = 0 } = plan?.counts ?? {};
  return restored + deleted + failed;
}

type Extra =
  | { readonly dryRun: true; readonly patch?: true }
  | { readonly confirm: true; readonly idempotencyKey: string };

function sent(
  intent: Intent,
  { mode, scope, onConflict, conflicts, author }: Choices,
  { head, ...extra }: Extra & { readonly session: string; readonly head: string | undefined },
  options: AskOptions,
): Promise<ChangeEffects> {
  const link = useLink();
  const expected = { ...extra, ...(head === undefined ? {} : { expect: { head } }) };
  if (intent.does === 'revert') {
    const { does: _, label: __, range, ...only } = intent;
    const by = author === '' ? {} : { author };
    const wanted = { ...expected, ...range, ...only, ...by, conflicts };
    return link.ask('checkpoint/revert', wanted, options);
  }
  const shared = { ...expected, mode, onConflict };
  if (intent.does !== 'restore') return link.ask(`checkpoint/${intent.does}`, shared, options);
  const { tag, paths } = intent;
  const only = paths === undefined ? { scope } : { paths };
  return link.ask('checkpoint/restore', { ...shared, tag, ...only }, options);
}
