// Shows a unified patch as text, with a style for each kind of line. Draws only the visible lines.
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { defineComponent, onBeforeUnmount, onMounted, ref, watch } from 'vue';
import { labelled, readOnlyText } from './editor.ts';

const looks = {
  added: Decoration.line({ class: 'patch-added' }),
  file: Decoration.line({ class: 'patch-file' }),
  hunk: Decoration.line({ class: 'patch-hunk' }),
  removed: Decoration.line({ class: 'patch-removed' }),
} as const;

/** Returns the style of a line, by its first characters. Returns undefined for a line of context. */
function decorationOf(line: string): Decoration | undefined {
  if (line.startsWith('@@') || line.startsWith('\\')) return looks.hunk;
  if (line.startsWith('+')) return looks.added;
  if (line.startsWith('-')) return looks.removed;
  // A line of context begins with a space. All remaining lines belong to the head of a file.
  if (line === '' || line.startsWith(' ')) return undefined;
  return headLine.test(line) ? looks.hunk : looks.file;
}

const headLine =
  /^(?:new file|deleted file|old mode|new mode|similarity|dissimilarity|rename|copy|Binary|GIT bin)/;

/**
 * Returns a patch in a form for people to read. The head of each file shows only the file's name and the kind of
 * change.
 */
function readable(patch: string): string {
  const lines: string[] = [];
  let isHead = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) isHead = true;
    else if (line.startsWith('@@')) isHead = false;
    if (isHead && /^(?:index |--- |\+\+\+ |similarity index 100%)/.test(line)) continue;
    lines.push(isHead ? line.replace(/^diff --git a\/(.*) b\/\1$/, '$1').replace(/^diff --git /, '') : line);
  }
  return lines.join('\n');
}

function decorated({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      // The first characters are enough for the style. A line may be as long as the whole patch.
      const decoration = decorationOf(line.text.slice(0, 16));
      if (decoration !== undefined) builder.add(line.from, line.from, decoration);
      at = line.to + 1;
    }
  return builder.finish();
}

class LineDecorations {
  lines: DecorationSet;

  constructor(view: EditorView) {
    this.lines = decorated(view);
  }

  update({ view, viewportChanged }: ViewUpdate): void {
    if (viewportChanged) this.lines = decorated(view);
  }
}

const linePlugin = ViewPlugin.fromClass(LineDecorations, { decorations: ({ lines }) => lines });

export const PatchView = defineComponent(
  (props: { readonly text: string; readonly label: string }) => {
    const element = ref<HTMLElement | null>(null);
    let view: EditorView | undefined;
    function draw(): void {
      view?.destroy();
      if (element.value === null) return;
      const extensions = [readOnlyText, linePlugin, labelled(props.label)];
      view = new EditorView({ doc: readable(props.text), extensions, parent: element.value });
    }
    onMounted(draw);
    watch(() => [props.text, props.label], draw);
    onBeforeUnmount(() => view?.destroy());
    return () => <div ref={element} class="diff patch" data-drawn={props.label} />;
  },
  { props: ['text', 'label'] },
);
