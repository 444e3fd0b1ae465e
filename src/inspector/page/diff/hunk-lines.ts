// Draws a line above each of the daemon's hunks. The line has two buttons: one reverts the hunk, and one picks the
// hunk, so that several hunks can be reverted together. Each button has a key, which acts on the hunk at the cursor.
import { type Extension, type Range, RangeSet, type Text } from '@codemirror/state';
import { Decoration, EditorView, keymap, WidgetType } from '@codemirror/view';
import type { DiffHunk } from '../../../protocol/types.ts';
import { plainText } from '../text.ts';

/** The hunks of one file, and the actions for each hunk. */
export interface OfferedHunks {
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  readonly revert: (hunk: DiffHunk) => void;
  /** Picks the hunk. If the hunk is already picked, removes it from the picked hunks. */
  readonly pick: (hunk: DiffHunk) => void;
  readonly isPicked: (hunk: DiffHunk) => boolean;
}

const lineHeight = 26;

/** Returns the lines above the hunks, for the view of the later text. */
export function hunkLines(offered: OfferedHunks): Extension {
  const { hunks, revert, pick } = offered;
  const atCursor =
    (act: (hunk: DiffHunk) => void) =>
    ({ state }: EditorView): boolean => {
      const line = state.doc.lineAt(state.selection.main.head).number;
      const hunk = hunks.find(
        ({ afterStart, afterLines }) => line >= afterStart && line < afterStart + afterLines,
      );
      if (hunk !== undefined) act(hunk);
      return hunk !== undefined;
    };
  return [
    linesAt(hunks, afterFirst, (hunk) => new HunkLine(hunk.id, () => buttonsOf(offered, hunk))),
    keymap.of([
      { key: 'v', run: atCursor(revert) },
      { key: 'x', run: atCursor(pick) },
    ]),
  ];
}

/** Updates the buttons of a view, so that they show which hunks are picked. */
export function showPicked(view: HTMLElement | undefined, offered: OfferedHunks | undefined): void {
  if (view === undefined || offered === undefined) return;
  const { hunks, isPicked } = offered;
  const byId = new Map(hunks.map((hunk) => [hunk.id, hunk]));
  for (const button of view.querySelectorAll<HTMLElement>('.cm-hunk [data-hunk]')) {
    const hunk = byId.get(button.dataset['hunk'] ?? '');
    if (hunk !== undefined) showOn(button, isPicked(hunk));
  }
}

/**
 * Returns empty lines for the view of the earlier text. They are as high as the lines with buttons in the view of the
 * later text.
 */
export function hunkGaps(hunks: readonly DiffHunk[]): Extension {
  return linesAt(hunks, beforeFirst, ({ id }) => new HunkLine(id, () => []));
}

// If a hunk has no lines on one side, its line number on this side is the number of the line before the hunk.
const afterFirst = ({ afterStart, afterLines }: DiffHunk): number => afterStart + (afterLines === 0 ? 1 : 0);
const beforeFirst = ({ beforeStart, beforeLines }: DiffHunk): number =>
  beforeStart + (beforeLines === 0 ? 1 : 0);

function linesAt(
  hunks: readonly DiffHunk[],
  first: (hunk: DiffHunk) => number,
  widget: (hunk: DiffHunk) => HunkLine,
): Extension {
  return EditorView.decorations.compute([], ({ doc }) =>
    RangeSet.of(hunks.map((hunk) => lineIn(doc, first(hunk), widget(hunk)))),
  );
}

function lineIn(doc: Text, line: number, widget: HunkLine): Range<Decoration> {
  const isBehind = line > doc.lines;
  const at = isBehind ? doc.length : doc.line(Math.max(1, line)).from;
  return Decoration.widget({ widget, block: true, side: isBehind ? 1 : -1 }).range(at);
}

class HunkLine extends WidgetType {
  readonly #id: string;
  readonly #buttons: () => readonly HTMLElement[];

  constructor(id: string, buttons: () => readonly HTMLElement[]) {
    super();
    this.#id = id;
    this.#buttons = buttons;
  }

  override eq(other: HunkLine): boolean {
    return this.#id === other.#id;
  }

  override toDOM(): HTMLElement {
    const line = document.createElement('div');
    line.className = 'cm-hunk';
    const buttons = document.createElement('span');
    buttons.append(...this.#buttons());
    line.append(buttons);
    return line;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override get estimatedHeight(): number {
    return lineHeight;
  }
}

function buttonsOf({ path, revert, pick, isPicked }: OfferedHunks, hunk: DiffHunk): readonly HTMLElement[] {
  const where = `${rangeWords(hunk)} of ${plainText(path, 'signs')}`;
  const picking = buttonOf('Pick', `Pick ${where}`, () => pick(hunk));
  picking.title = 'Pick this hunk to revert it together with other hunks (x)';
  picking.className = 'pick';
  picking.dataset['hunk'] = hunk.id;
  showOn(picking, isPicked(hunk));
  const reverting = buttonOf('', `Revert hunk… ${where}`, () => revert(hunk));
  // If a narrow window shows two columns, this word is hidden, because the button would be wider than its column.
  const what = document.createElement('span');
  what.className = 'what';
  what.textContent = ' hunk';
  reverting.replaceChildren('Revert', what, '…');
  reverting.className = 'revert-hunk';
  reverting.title = 'Revert these lines, and keep all later changes (v)';
  return [picking, reverting];
}

function buttonOf(text: string, label: string, press: () => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.setAttribute('aria-label', label);
  button.addEventListener('click', press);
  return button;
}

function showOn(button: HTMLElement, isPicked: boolean): void {
  button.setAttribute('aria-pressed', String(isPicked));
  button.textContent = isPicked ? 'Picked' : 'Pick';
}

function rangeWords({ afterStart, afterLines, beforeStart }: DiffHunk): string {
  if (afterLines === 0) return `the lines removed at line ${beforeStart}`;
  return afterLines === 1 ? `line ${afterStart}` : `lines ${afterStart} to ${afterStart + afterLines - 1}`;
}
