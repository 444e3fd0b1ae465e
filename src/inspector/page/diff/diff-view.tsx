// Shows the difference of two texts, in one or two columns. Draws only the visible lines, so that a text of a million
// lines opens as fast as a short text.
import { syntaxHighlighting } from '@codemirror/language';
import {
  type DiffConfig,
  goToNextChunk,
  goToPreviousChunk,
  MergeView,
  unifiedMergeView,
} from '@codemirror/merge';
import { type Extension, Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { defineComponent, onBeforeUnmount, onMounted, ref, shallowRef, watch } from 'vue';
import type { DiffHunk } from '../../../protocol/types.ts';
import type { Hunk } from '../patch.ts';
import { useView } from '../state/view.ts';
import { changesOf, wholeLines } from './changes.ts';
import { labelled, readOnlyText, removedSigns } from './editor.ts';
import { hunkGaps, hunkLines, type OfferedHunks, showPicked } from './hunk-lines.ts';
import { languageOf } from './languages.ts';

export interface DiffViewProps {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly Hunk[] | undefined;
  readonly isSideBySide: boolean;
  /** The hunks that the user can revert. Undefined when no hunk of this difference can be reverted. */
  readonly offered?: OfferedHunks | undefined;
}

/**
 * If a hunk removes more lines than this number, the difference is shown in two columns. In one column the editor would
 * draw all removed lines at once.
 */
const removedMax = 1500;

const fixed: Extension = [
  readOnlyText,
  syntaxHighlighting(classHighlighter),
  lineNumbers(),
  keymap.of([
    { key: 'n', run: goToNextChunk },
    { key: 'p', run: goToPreviousChunk },
  ]),
];

export function mustBeSideBySide(hunks: readonly Hunk[] | undefined, before: string): boolean {
  if (hunks === undefined) return before.length > 100_000;
  return hunks.some(({ removed }) => removed.length > removedMax);
}

/** Returns the settings for both layouts. Without hunks from the daemon, the view compares the texts itself. */
function configOf(hunks: readonly Hunk[] | undefined, isUnfolded: boolean) {
  const diffConfig: DiffConfig =
    hunks === undefined
      ? { scanLimit: 200, timeout: 500 }
      : { scanLimit: 200, override: (a, b) => changesOf(a, b, hunks) };
  const folds = isUnfolded ? {} : { collapseUnchanged: { margin: 3, minSize: 6 } };
  return { gutter: true, diffConfig, ...folds };
}

export const DiffView = defineComponent(
  (props: DiffViewProps) => {
    const element = ref<HTMLElement>();
    const settings = useView();
    const view = shallowRef<EditorView | MergeView>();
    let draws = 0;

    async function draw(): Promise<void> {
      draws += 1;
      const own = draws;
      const { path, before, after, hunks } = props;
      const language = await languageOf(path, Math.max(before.length, after.length));
      const parent = element.value;
      if (own !== draws || parent === undefined) return;
      view.value?.destroy();
      const shared = configOf(hunks, settings.isUnfolded);
      const [ofBefore, ofAfter] = hunkParts(props);
      if (props.isSideBySide || mustBeSideBySide(hunks, before))
        view.value = new MergeView({
          a: { doc: before, extensions: [fixed, language, labelled(`${path}, before`), ofBefore] },
          b: { doc: after, extensions: [fixed, language, labelled(`${path}, after`), ofAfter] },
          parent,
          ...shared,
        });
      else
        view.value = new EditorView({
          doc: after,
          extensions: [
            fixed,
            language,
            labelled(`${path}, changes`),
            ofAfter,
            before === after ? [] : removedLines(before, shared),
          ],
          parent,
        });
      parent.dataset['drawn'] = path;
    }

    onMounted(() => void draw());
    watch(
      // Watches each value with a function of its own. So if a new comparison finds the same values, the page does not
      // draw them again.
      [
        () => props.path,
        () => props.before,
        () => props.after,
        () => props.isSideBySide,
        () => settings.isUnfolded,
        () => namesOf(props.offered),
      ],
      () => void draw(),
    );
    watch(
      () => props.offered?.hunks.map((hunk) => props.offered?.isPicked(hunk)),
      () => showPicked(element.value, props.offered),
    );
    onBeforeUnmount(() => {
      draws += 1;
      view.value?.destroy();
    });
    return () => <div ref={element} class={['diff', props.before === '' ? 'of-new-file' : '']} />;
  },
  { props: ['path', 'before', 'after', 'hunks', 'isSideBySide', 'offered'] },
);

/**
 * Shows the removed lines above the added lines. Splits the text only at line feeds. If the merge view got a string, it
 * would drop carriage returns. The offsets of the daemon's hunks would then be wrong.
 */
function removedLines(before: string, shared: ReturnType<typeof configOf>): Extension {
  const original = Text.of(before.split('\n'));
  return [unifiedMergeView({ original, mergeControls: false, ...shared }), removedSigns];
}

/** Returns, for each of the two sides, the editor extensions that show the hunks. */
function hunkParts(props: DiffViewProps): readonly [before: Extension, after: Extension] {
  const { offered, hunks = [] } = props;
  const [before, after] = [wholeLines(hunks, 'before'), wholeLines(hunks, 'after')];
  if (offered === undefined) return [before, after];
  return [
    [before, hunkGaps(offered.hunks)],
    [after, hunkLines(lateBound(offered, props))],
  ];
}

/**
 * Makes the buttons act on the hunks of the newest comparison. A new comparison with the same hunks does not rebuild
 * the view, so the buttons must be updated here.
 */
function lateBound(offered: OfferedHunks, props: DiffViewProps): OfferedHunks {
  return {
    ...offered,
    revert: (hunk: DiffHunk): void => props.offered?.revert(hunk),
    pick: (hunk: DiffHunk): void => props.offered?.pick(hunk),
  };
}

function namesOf(offered: OfferedHunks | undefined): string {
  return (offered?.hunks ?? []).map(({ id }) => id).join(' ');
}
