// Handles the keys of the whole page. In an input field only Escape has an effect. Changing a file always takes more
// than one key.
import { isRevertible, revertOf } from './reverting.ts';
import { useChanging } from './state/changing.ts';
import { useComparison } from './state/comparison.ts';
import { isSameFile, useView } from './state/view.ts';
import { labelOf, listId } from './timeline.tsx';

export function listenToKeys(): void {
  const [view, comparison, changing] = [useView(), useComparison(), useChanging()];

  /**
   * Translates the letter into an arrow key and passes it to the timeline, because only the timeline knows its rows.
   */
  const inTimeline = (key: string): void => {
    const list = document.getElementById(listId);
    list?.focus({ preventScroll: true });
    list?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  };
  const stepFile = (by: number): void => {
    const { files } = comparison;
    const at = files.findIndex((file) => isSameFile(file, view.file));
    view.file = files[Math.min(files.length - 1, Math.max(0, at + by))];
  };
  const restore = (): void => {
    const { checkpoint } = comparison;
    if (checkpoint !== undefined)
      changing.begin({ does: 'restore', tag: checkpoint.id, label: labelOf(checkpoint) });
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
    j: () => inTimeline('ArrowDown'),
    J: () => stepFile(1),
    k: () => inTimeline('ArrowUp'),
    K: () => stepFile(-1),
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
    if (key === 'Escape') {
      if (isField) {
        if (target instanceof HTMLInputElement && target.id === 'search') view.query = '';
        target.blur();
      } else view.isDetail = false;
      return;
    }
    if (isField || !Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]?.();
  });
}
