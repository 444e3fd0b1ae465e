// A line above each of the daemon's hunks, with the button that takes the hunk back; its key is that of the hunk at the
// cursor.
import { type Extension, type Range, RangeSet, type Text } from '@codemirror/state';
import { Decoration, EditorView, keymap, WidgetType } from '@codemirror/view';
import type { DiffHunk } from '../../../protocol/types.ts';
import { plainText } from '../text.ts';

/** How a view offers the hunks of one file. */
export interface OfferedHunks {
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  readonly revert: (hunk: DiffHunk) => void;
}

const lineHeight = 26;

/** Returns what the view of the later text shows. */
export function hunkLines({ path, hunks, revert }: OfferedHunks): Extension {
  const atCursor = ({ state }: EditorView): boolean => {
    const line = state.doc.lineAt(state.selection.main.head).number;
    const hunk = hunks.find(
      ({ afterStart, afterLines }) => line >= afterStart && line < afterStart + afterLines,
    );
    if (hunk !== undefined) revert(hunk);
    return hunk !== undefined;
  };
  return [
    linesAt(hunks, afterFirst, (hunk) => new HunkLine(hunk.id, () => buttonOf(path, hunk, revert))),
    keymap.of([{ key: 'v', run: atCursor }]),
  ];
}

/** Returns empty lines of that height for the earlier text beside it. */
export function hunkGaps(hunks: readonly DiffHunk[]): Extension {
  return linesAt(hunks, beforeFirst, ({ id }) => new HunkLine(id, () => undefined));
}

// An empty side names the line before it.
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
  readonly #button: () => HTMLElement | undefined;

  constructor(id: string, button: () => HTMLElement | undefined) {
    super();
    this.#id = id;
    this.#button = button;
  }

  override eq(other: HunkLine): boolean {
    return this.#id === other.#id;
  }

  override toDOM(): HTMLElement {
    const line = document.createElement('div');
    line.className = 'cm-hunk';
    const button = this.#button();
    if (button !== undefined) line.append(button);
    return line;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override get estimatedHeight(): number {
    return lineHeight;
  }
}

function buttonOf(path: string, hunk: DiffHunk, revert: OfferedHunks['revert']): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Revert hunk…';
  button.title = 'Take these lines back, and keep all later changes (v)';
  button.setAttribute('aria-label', `${button.textContent} ${rangeWords(hunk)} of ${plainText(path)}`);
  button.addEventListener('click', () => revert(hunk));
  return button;
}

function rangeWords({ afterStart, afterLines, beforeStart }: DiffHunk): string {
  if (afterLines === 0) return `what was removed at line ${beforeStart}`;
  return afterLines === 1 ? `line ${afterStart}` : `lines ${afterStart} to ${afterStart + afterLines - 1}`;
}
