// Shows the keys of the page.
import { defineComponent, nextTick, ref, watch } from 'vue';
import { useView } from './state/view.ts';

const keys: readonly (readonly [string, string])[] = [
  ['j  k', 'next and previous checkpoint'],
  ['J  K', 'next and previous file'],
  ['Enter', 'open the selected entry'],
  ['n  p', 'next and previous difference in the text of the file'],
  ['/', 'search'],
  ['Esc', 'close, leave the search, go back to the timeline'],
  ['c', 'compare with the selected checkpoint; press again to stop'],
  ['s', 'unified or side by side'],
  ['e', 'show equal lines, or fold them'],
  ['r  R', 'restore the checkpoint, or only the open file: shows the plan first'],
  ['v', 'revert the turn or tool, or the hunk at the cursor: shows the plan first'],
  ['x', 'pick the hunk at the cursor; picked hunks are reverted together'],
  ['u', 'undo the last restore or revert: shows the plan first'],
  ['a', 'show all checkpoints; press again to show fewer'],
  ['b', 'show another session beside this one; press again to hide it'],
  ['1  2  3', 'changes, conversation, about'],
  ['?', 'this list'],
];

export const HelpDialog = defineComponent(() => {
  const view = useView();
  const dialog = ref<HTMLDialogElement>();
  watch(
    () => view.isHelp,
    async (isOpen) => {
      await nextTick();
      if (isOpen) dialog.value?.showModal();
      else dialog.value?.close();
    },
  );
  return () => (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (view.isHelp = false)}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {keys.map(([key, words]) => (
          <>
            <dt>
              {key.split('  ').map((each) => (
                <kbd>{each}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => (view.isHelp = false)}>
          Close
        </button>
      </div>
    </dialog>
  );
});
