// Handles the keys of the whole page. In an input field only Escape has an effect. A single key press never changes a
// file.
import { nextTick } from 'vue';
import { isRevertible, restoreOf, restoreOfFile, revertOf } from './reverting.ts';
import { useChanging } from './state/changing.ts';
import { useComparison } from './state/comparison.ts';
import { isSameFile, useView } from './state/view.ts';
import { focusTimeline, listId } from './timeline.tsx';

const timeline = `#${listId}`;
/** The later text of a difference. */
const text = '.diff .cm-editor:last-child .cm-content';

/** Moves the focus to an element that has keys of its own, and passes a key to the element. */
function pressIn(selector: string, key: string): void {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus({ preventScroll: true });
  element?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/** Leaves the details of a checkpoint or the history of a file, and returns the focus to the timeline. */
export async function goBack(): Promise<void> {
  const view = useView();
  if (view.room === 'file') view.room = 'checkpoints';
  view.isDetail = false;
  await nextTick();
  focusTimeline();
}

export function listenToKeys(): void {
  const [view, comparison, changing] = [useView(), useComparison(), useChanging()];

  const stepFile = (by: number): void => {
    const { files } = comparison;
    const at = files.findIndex((file) => isSameFile(file, view.file));
    view.file = files[Math.min(files.length - 1, Math.max(0, at + by))];
  };
  const restore = (): void => {
    const { checkpoint } = comparison;
    if (checkpoint !== undefined) changing.begin(restoreOf(checkpoint));
  };
  const restoreFile = (): void => {
    const file = comparison.files.find((each) => isSameFile(each, view.file));
    const intent = file === undefined ? undefined : restoreOfFile(file);
    if (intent !== undefined) changing.begin(intent);
  };
  const revert = (): void => {
    const { checkpoint } = comparison;
    if (checkpoint !== undefined && isRevertible(checkpoint)) changing.begin(revertOf(checkpoint));
  };
  const actions: Readonly<Record<string, () => void>> = {
    '/': () => document.getElementById('search')?.focus(),
    '1': () => (view.tab = 'changes'),
    '2': () => (view.tab = 'conversation'),
    '3': () => (view.tab = 'about'),
    '?': () => (view.isHelp = true),
    a: () => (view.showsNoise = !view.showsNoise),
    b: () => (view.isBeside = !view.isBeside),
    c: () => (view.base = view.base === undefined && !view.isPresent ? view.selected : undefined),
    e: () => (view.isUnfolded = !view.isUnfolded),
    j: () => pressIn(timeline, 'ArrowDown'),
    J: () => stepFile(1),
    k: () => pressIn(timeline, 'ArrowUp'),
    K: () => stepFile(-1),
    n: () => pressIn(text, 'n'),
    p: () => pressIn(text, 'p'),
    R: restoreFile,
    r: restore,
    s: () => (view.isSideBySide = !view.isSideBySide),
    u: () => changing.begin({ does: 'undo' }),
    v: revert,
  };

  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const isField =
      target instanceof HTMLElement && target.matches('input:not([type=checkbox]), select, textarea');
    const isSearch = isField && target.id === 'search';
    if (key === 'Escape') {
      if (isSearch) view.query = '';
      return void goBack();
    }
    if (key === 'Enter' && isSearch) return pressIn(timeline, 'Home');
    if (isField || !Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]?.();
  });
}
