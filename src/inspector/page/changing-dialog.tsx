// The dialog of a restore, undo or redo: what will be written, deleted and left alone, the question, then the result
// with its undo. Nothing is changed before the second button.
import { defineComponent, nextTick, ref, watch } from 'vue';
import type { ConflictPath, FailedPath, PathRef, RestoreResult, SkippedPath } from '../../protocol/types.ts';
import { Icon } from './parts/icon.tsx';
import { PathName } from './parts/inert-text.tsx';
import { type Choices, useChanging } from './state/changing.ts';
import { countOf } from './text.ts';

const listedMax = 200;

export const ChangingDialog = defineComponent(() => {
  const changing = useChanging();
  const dialog = ref<HTMLDialogElement>();
  watch(
    () => changing.stage,
    async (stage) => {
      await nextTick();
      if (stage === 'closed') dialog.value?.close();
      else if (dialog.value?.open === false) dialog.value.showModal();
      // Never the button that changes files: a stray Enter must not.
      if (stage === 'asking') dialog.value?.querySelector<HTMLElement>('.cancel')?.focus();
      if (stage === 'done') dialog.value?.querySelector<HTMLElement>('.close')?.focus();
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
          <Body />
          <Buttons />
        </>
      )}
    </dialog>
  );
});

function titleOf(): string {
  const { intent, stage, result } = useChanging();
  const isDone = stage === 'done';
  if (intent.does === 'undo') return isDone ? 'The restore was undone' : 'Undo the last restore';
  if (intent.does === 'redo') return isDone ? 'The restore was done again' : 'Redo the restore';
  const what =
    intent.paths === undefined
      ? `[${intent.label}]`
      : `${countOf(intent.paths.length, 'path')} of [${intent.label}]`;
  if (!isDone) return `Restore ${what}`;
  return (result?.counts.failed ?? 0) > 0 ? `Restored ${what}, but not everything` : `Restored ${what}`;
}

const Body = defineComponent(() => {
  const changing = useChanging();
  return () => {
    const { stage, plan, result, failure, intent } = changing;
    return (
      <div class="changing-body">
        {stage === 'asking' || stage === 'planning' ? <Options /> : null}
        {stage === 'planning' && plan === undefined ? <p class="dim">Making the plan…</p> : null}
        {(stage === 'asking' || stage === 'planning') && plan !== undefined ? (
          <Lists of={plan} isPlan={true} />
        ) : null}
        {stage === 'asking' && changing.changesNothing ? (
          <p>
            {intent.does === 'restore'
              ? 'The work tree is already like that: there is nothing to do.'
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
});

const Options = defineComponent(() => {
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
  return () => {
    const { intent, plan, choices } = changing;
    const hasConflicts = (plan?.counts.conflicts ?? 0) > 0 || choices.onConflict !== 'overwrite';
    return (
      <div class="options">
        {intent.does === 'restore' ? (
          <fieldset>
            <legend>Files made later</legend>
            {choice('mode', 'soft', 'Keep them', 'soft')}
            {choice('mode', 'hard', 'Delete them', 'exactly that state')}
          </fieldset>
        ) : null}
        {intent.does === 'restore' && intent.paths === undefined ? (
          <fieldset>
            <legend>Bring back</legend>
            {choice('scope', 'files', 'Files', '')}
            {choice('scope', 'both', 'Files and conversation', '')}
            {choice('scope', 'conversation', 'Conversation', '')}
          </fieldset>
        ) : null}
        {hasConflicts ? (
          <fieldset>
            <legend>Edited by others</legend>
            {choice('onConflict', 'overwrite', 'Restore them too', 'their edits are saved first')}
            {choice('onConflict', 'skip', 'Leave them alone', '')}
          </fieldset>
        ) : null}
      </div>
    );
  };
});

type Listed = PathRef | FailedPath | ConflictPath | SkippedPath;

const Lists = (props: { readonly of: RestoreResult; readonly isPlan: boolean }) => {
  const { restored, deleted, failed, conflicts, skipped, counts, warnings = [], conversation } = props.of;
  const lists: readonly (readonly [string, string, readonly Listed[], number])[] = [
    [props.isPlan ? 'Will be written' : 'Written', 'modified', restored, counts.restored],
    [props.isPlan ? 'Will be deleted' : 'Deleted', 'deleted', deleted, counts.deleted],
    ['Edited by others, saved first', 'conflict', conflicts, counts.conflicts],
    [props.isPlan ? 'Cannot be restored' : 'Could not be restored', 'deleted', failed, counts.failed],
    ['Left alone', 'dim', skipped, counts.skipped],
  ];
  return (
    <div class="lists">
      {lists.map(([title, look, paths, count]) =>
        count === 0 ? null : (
          <section class="list" data-list={look}>
            <h3 class={look}>
              {title} <span class="count">{count.toLocaleString('en')}</span>
            </h3>
            <ul>
              {paths.slice(0, listedMax).map((each) => (
                <li>
                  <PathName of={each} />
                  {'reason' in each ? <span class="dim"> {each.reason}</span> : null}
                  {'author' in each && each.author !== undefined ? (
                    <span class="dim"> by the {each.author}</span>
                  ) : null}
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

const Running = defineComponent(() => {
  const changing = useChanging();
  return () => {
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
});

const Buttons = defineComponent(() => {
  const changing = useChanging();
  return () => {
    const { stage, intent, plan, choices } = changing;
    if (stage === 'running')
      return (
        <div class="buttons">
          <button type="button" onClick={() => changing.cancel()}>
            Stop
          </button>
        </div>
      );
    if (stage === 'done' || stage === 'failed')
      return (
        <div class="buttons">
          {stage === 'done' ? (
            <button type="button" class="take-back" onClick={() => changing.takeBack()}>
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
    const words = { restore: 'Restore', undo: 'Undo', redo: 'Redo' } as const;
    const count = (plan?.counts.restored ?? 0) + (plan?.counts.deleted ?? 0);
    return (
      <div class="buttons">
        <span class="dim">What would be lost is saved first; undo brings it back.</span>
        <button type="button" class="cancel" onClick={() => changing.close()}>
          Cancel
        </button>
        <button
          type="button"
          class={['confirm', deletes || choices.mode === 'hard' ? 'danger' : 'primary']}
          disabled={stage !== 'asking' || changing.changesNothing}
          onClick={() => void changing.confirm()}
        >
          {words[intent.does]} {count > 0 ? countOf(count, 'file') : ''}
        </button>
      </div>
    );
  };
});
