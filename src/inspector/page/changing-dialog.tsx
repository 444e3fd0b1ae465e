// The dialog of a restore, revert, undo or redo. The dialog first lists the files that will be written, deleted or left
// unchanged. Files change only when the user confirms this plan with a second button. After the change, the dialog
// shows the result and a button that undoes the change.
import { defineComponent, nextTick, ref, watch } from 'vue';
import { inWords } from '../../client/reasons.ts';
import type { ConflictPath, FailedPath, PathRef, RevertPath, SkippedPath } from '../../protocol/types.ts';
import { AuthorChoice } from './author-choice.tsx';
import { PatchView } from './diff/patch-view.tsx';
import { Icon } from './parts/icon.tsx';
import { PathName } from './parts/inert-text.tsx';
import { endsOf } from './reverting.ts';
import { useChanging } from './state/changing.ts';
import type { ChangeEffects, Choices, Intent } from './state/intent.ts';
import { countOf } from './text.ts';

const listedMax = 200;

export const ChangingDialog = defineComponent(() => {
  const changing = useChanging();
  const dialog = ref<HTMLDialogElement>();
  watch(
    () => changing.stage,
    async (stage) => {
      await nextTick();
      if (stage === 'closed') return dialog.value?.close();
      if (dialog.value?.open === false) dialog.value.showModal();
      else if (dialog.value?.querySelector(':focus') !== null) return;
      // The button that changes files never has the focus, so that an accidental Enter changes nothing. The focus
      // stays on an option that the user has changed.
      dialog.value?.querySelector<HTMLElement>('.cancel, .close')?.focus();
    },
  );
  return () => (
    <dialog
      ref={dialog}
      class="changing"
      aria-labelledby="changing-title"
      onCancel={(event) => {
        event.preventDefault();
        if (changing.stage !== 'running') changing.close();
      }}
    >
      {changing.stage === 'closed' ? null : (
        <>
          <h2 id="changing-title">{titleOf()}</h2>
          <p class="hidden" role="status">
            {saidOf()}
          </p>
          <Body />
          <Buttons />
        </>
      )}
    </dialog>
  );
});

/**
 * Returns the text that screen readers read out when the stage of the dialog changes: a summary of the plan, or the
 * result.
 */
function saidOf(): string {
  const { stage, plan, changesNothing } = useChanging();
  if (stage === 'planning') return 'Making the plan';
  if (stage === 'done') return titleOf();
  if (stage !== 'asking' || plan === undefined) return '';
  if (changesNothing) return 'The plan changes no file';
  const { restored, deleted, conflicts, failed } = plan.counts;
  const parts: readonly (readonly [number, string])[] = [
    [restored, 'will be written'],
    [deleted, 'will be deleted'],
    [conflicts, 'in conflict'],
    [failed, 'cannot be written'],
  ];
  const said = parts.flatMap(([count, words]) => (count === 0 ? [] : [`${countOf(count, 'file')} ${words}`]));
  return `The plan: ${said.join(', ')}`;
}

function titleOf(): string {
  const { intent, stage, result } = useChanging();
  const isDone = stage === 'done';
  if (intent.does === 'undo' || intent.does === 'redo') {
    const what = intent.of ?? 'restore';
    if (!isDone) return intent.does === 'undo' ? 'Undo the last restore or revert' : 'Redo what was undone';
    return `The ${what} was ${intent.does === 'undo' ? 'undone' : 'redone'}`;
  }
  const isWhole = (result?.counts.failed ?? 0) === 0;
  if (intent.does === 'revert') {
    const done = isWhole ? `Reverted ${intent.label}` : `Reverted ${intent.label}, but not everything`;
    return isDone ? done : `Revert ${intent.label}`;
  }
  const what =
    intent.paths === undefined
      ? `[${intent.label}]`
      : `${countOf(intent.paths.length, 'path')} of [${intent.label}]`;
  if (!isDone) return `Restore ${what}`;
  return isWhole ? `Restored ${what}` : `Restored ${what}, but not everything`;
}

const Body = () => {
  const changing = useChanging();
  const { stage, plan, result, failure, intent } = changing;
  return (
    <div class="changing-body">
      {plan !== undefined && 'from' in plan && stage !== 'failed' ? (
        <p>
          The revert reverses {isPartial(intent) ? 'this part of the changes' : 'the changes'} from{' '}
          {endsOf(plan)}, and keeps all other changes.
        </p>
      ) : null}
      {stage === 'asking' || stage === 'planning' ? <Options /> : null}
      {stage === 'planning' && plan === undefined ? <p class="dim">Making the plan…</p> : null}
      {(stage === 'asking' || stage === 'planning') && plan !== undefined ? (
        <Lists of={plan} isPlan={true} />
      ) : null}
      {stage === 'asking' && changing.refusal !== undefined ? (
        <p class="problem" role="alert">
          {changing.refusal}
        </p>
      ) : null}
      {stage === 'asking' || stage === 'planning' ? <LineByLine /> : null}
      {stage === 'asking' && plan !== undefined && changing.changesNothing ? (
        <p>
          {intent.does === 'restore'
            ? 'The work tree is already in this state, so there is nothing to change.'
            : 'No file would change.'}
        </p>
      ) : null}
      {stage === 'running' ? <Running /> : null}
      {stage === 'done' && result !== undefined ? <Lists of={result} isPlan={false} /> : null}
      {stage === 'failed' ? (
        <p class="problem" role="alert">
          {failure}
        </p>
      ) : null}
    </div>
  );
};

/** Shows the change as a patch, or the reason why the patch could not be read. */
const LineByLine = () => {
  const { patch, unread, plan, intent } = useChanging();
  if (unread !== undefined)
    return (
      <p class="problem" role="alert">
        The change line by line could not be read: {unread}
      </p>
    );
  if (patch === undefined || (plan?.counts.restored ?? 0) + (plan?.counts.deleted ?? 0) === 0) return null;
  if (patch !== '')
    return (
      <section class="list planned" aria-label="The change line by line">
        <h3>Line by line</h3>
        <PatchView text={patch} label="The change line by line" />
      </section>
    );
  const isKnown = intent.does === 'restore' || intent.does === 'revert';
  return isKnown ? <p class="dim">The change is too long to be shown line by line.</p> : null;
};

/** True for a revert that reverses only some paths or hunks of the range. */
function isPartial(intent: Intent): boolean {
  return intent.does === 'revert' && (intent.paths ?? intent.hunks) !== undefined;
}

const Options = () => {
  const changing = useChanging();
  const choice = (name: keyof Choices, value: string, label: string, hint: string) => (
    <label class="choice">
      <input
        type="radio"
        name={name}
        value={value}
        checked={changing.choices[name] === value}
        onChange={() => Object.assign(changing.choices, { [name]: value })}
      />
      <span>
        {label} <span class="dim">{hint}</span>
      </span>
    </label>
  );
  const { intent, plan, choices } = changing;
  const hasConflicts =
    (plan?.counts.conflicts ?? 0) > 0 || choices.onConflict !== 'overwrite' || choices.conflicts !== 'leave';
  const hasAuthor = intent.does === 'revert' && intent.hunks === undefined;
  if (intent.does !== 'restore' && !hasConflicts && !hasAuthor) return null;
  return (
    <div class="options">
      {hasAuthor ? <AuthorChoice /> : null}
      {intent.does === 'restore' ? (
        <fieldset>
          <legend>Files made later</legend>
          {choice('mode', 'soft', 'Keep them', 'soft')}
          {choice('mode', 'hard', 'Delete them', 'exactly that state')}
        </fieldset>
      ) : null}
      {intent.does === 'restore' && intent.paths === undefined ? (
        <fieldset>
          <legend>Restore</legend>
          {choice('scope', 'files', 'Files', '')}
          {choice('scope', 'both', 'Files and conversation', '')}
          {choice('scope', 'conversation', 'Conversation', '')}
        </fieldset>
      ) : null}
      {intent.does === 'revert' && hasConflicts ? (
        <fieldset>
          <legend>Files with conflicting later changes</legend>
          {choice('conflicts', 'leave', 'Leave the file alone', '')}
          {choice('conflicts', 'markers', 'Write both versions', 'between markers, as git does')}
        </fieldset>
      ) : null}
      {intent.does !== 'revert' && hasConflicts ? (
        <fieldset>
          <legend>Edited by others</legend>
          {choice('onConflict', 'overwrite', 'Restore them too', 'their edits are saved first')}
          {choice('onConflict', 'skip', 'Leave them alone', '')}
        </fieldset>
      ) : null}
    </div>
  );
};

type Listed = PathRef | FailedPath | ConflictPath | SkippedPath | RevertPath;
type List = readonly [title: string, kind: string, paths: readonly Listed[], count: number];

function listsOf(effects: ChangeEffects, isPlan: boolean): readonly List[] {
  const { restored, deleted, failed, conflicts, skipped, counts } = effects;
  const both: readonly List[] = [
    [isPlan ? 'Will be written' : 'Written', 'modified', restored, counts.restored],
    [isPlan ? 'Will be deleted' : 'Deleted', 'deleted', deleted, counts.deleted],
  ];
  const unable: List = [
    isPlan ? 'Cannot be written' : 'Could not be written',
    'failed',
    failed,
    counts.failed,
  ];
  if (!('paths' in effects))
    return [
      ...both,
      ['Edited by others, saved first', 'conflict', conflicts, counts.conflicts],
      unable,
      ['Left alone', 'dim', skipped, counts.skipped],
    ];
  // The daemon's answer can contain a path with a conflict in several lists, but the dialog shows the path once, with
  // the reason.
  const others = skipped.filter(({ reason }) => reason !== 'conflict');
  const inConflict = effects.paths.filter(({ outcome }) => outcome === 'conflict');
  const gone = effects.paths.filter(({ outcome }) => outcome === 'alreadyGone');
  return [
    ...both,
    ['In conflict with a later change', 'conflict', inConflict, counts.conflicts],
    unable,
    ['Already in the earlier state', 'dim', gone, gone.length],
    ['Left alone', 'dim', others, counts.skipped - (skipped.length - others.length)],
  ];
}

function authorOf(each: Listed): string | undefined {
  if ('later' in each) return each.later?.author;
  return 'author' in each ? each.author : undefined;
}

const Lists = (props: { readonly of: ChangeEffects; readonly isPlan: boolean }) => {
  const { warnings = [] } = props.of;
  const conversation = 'conversation' in props.of ? props.of.conversation : undefined;
  return (
    <div class="lists">
      {listsOf(props.of, props.isPlan).map(([title, kind, paths, count]) =>
        count === 0 ? null : (
          <section class="list" data-list={kind}>
            <h3 class={kind}>
              {title} <span class="count">{count.toLocaleString('en')}</span>
            </h3>
            <ul>
              {paths.slice(0, listedMax).map((each) => (
                <li>
                  <PathName of={each} />
                  {'reason' in each && each.reason !== undefined ? (
                    <span class="dim"> {inWords(each.reason)}</span>
                  ) : null}
                  {authorOf(each) === undefined ? null : <span class="dim"> by the {authorOf(each)}</span>}
                </li>
              ))}
              {count > Math.min(paths.length, listedMax) ? (
                <li class="dim">
                  and {(count - Math.min(paths.length, listedMax)).toLocaleString('en')} more
                </li>
              ) : null}
            </ul>
          </section>
        ),
      )}
      {conversation === undefined ? null : (
        <p>
          The conversation {props.isPlan ? 'will have' : 'has'}{' '}
          {countOf(conversation.historyLength, 'entry').replace('entrys', 'entries')}.
        </p>
      )}
      {warnings.map((warning) => (
        <p class="problem">{warning}</p>
      ))}
    </div>
  );
};

const Running = () => {
  const changing = useChanging();
  const value = changing.progress;
  const known = value !== undefined && value.kind !== 'end' ? value : undefined;
  return (
    <div class="progress" role="status">
      <progress max="100" value={known?.percentage} aria-label="Progress" />
      <p class="dim">
        {known?.phase ?? 'Working'}
        {known?.message === undefined ? '' : `: ${known.message}`}
      </p>
    </div>
  );
};

/**
 * Shows the buttons of the stage. Each stage has its own `key`, so that Vue does not move the focus to a button of a
 * later stage.
 */
const Buttons = () => {
  const changing = useChanging();
  const { stage, intent, plan, choices } = changing;
  if (stage === 'running')
    return (
      <div class="buttons" key="running">
        <button type="button" onClick={() => changing.cancel()}>
          Stop
        </button>
      </div>
    );
  if (stage === 'done' || stage === 'failed')
    return (
      <div class="buttons" key="ended">
        {stage === 'done' ? (
          <button type="button" class="take-back" onClick={() => changing.undo()}>
            <Icon name={intent.does === 'undo' ? 'redo' : 'undo'} />
            {intent.does === 'undo' ? 'Redo' : 'Undo'}
          </button>
        ) : null}
        <button type="button" class="primary close" onClick={() => changing.close()}>
          Close
        </button>
      </div>
    );
  const deletes = (plan?.counts.deleted ?? 0) > 0;
  const words = { restore: 'Restore', revert: 'Revert', undo: 'Undo', redo: 'Redo' } as const;
  const count = (plan?.counts.restored ?? 0) + (plan?.counts.deleted ?? 0);
  return (
    <div class="buttons" key="asking">
      <span class="dim">The files that would be lost are saved first. Undo restores them.</span>
      <button type="button" class="cancel" onClick={() => changing.close()}>
        Cancel
      </button>
      <button
        type="button"
        class={['confirm', deletes || choices.mode === 'hard' ? 'danger' : 'primary']}
        disabled={stage !== 'asking' || changing.changesNothing}
        onClick={() => void changing.confirm()}
      >
        {[words[intent.does], ...(count > 0 ? [countOf(count, 'file')] : [])].join(' ')}
      </button>
    </div>
  );
};
