// Lists the files that differ between two states, and shows the difference of the file that the user has opened.
import { computed, defineComponent, ref, shallowRef, watch } from 'vue';
import { inWords } from '../../client/reasons.ts';
import type { DiffFile } from '../../protocol/types.ts';
import { authorsOf } from './diff/author.ts';
import { type Shown, type Sides, shownOf } from './diff/contents.ts';
import { mustBeSideBySide } from './diff/diff-view.tsx';
import { FileDifference } from './diff/difference.tsx';
import type { OfferedHunks } from './diff/hunk-lines.ts';
import { Icon } from './parts/icon.tsx';
import { PathName } from './parts/inert-text.tsx';
import { VirtualList } from './parts/virtual-list.tsx';
import { restoreOfFile, revertOfFile, revertOfHunk, revertOfPicked } from './reverting.ts';
import { useChanging } from './state/changing.ts';
import { useComparison } from './state/comparison.ts';
import { usePicked } from './state/picked.ts';
import { isSameFile, useView } from './state/view.ts';
import { countOf, sizeOf } from './text.ts';

const rowHeight = 28;

const letters: Readonly<Record<string, readonly [letter: string, style: string]>> = {
  added: ['A', 'added'],
  copied: ['C', 'added'],
  deleted: ['D', 'deleted'],
  modified: ['M', 'modified'],
  renamed: ['R', 'modified'],
  same: ['·', 'dim'],
  typeChanged: ['T', 'modified'],
};

export const ChangesPane = defineComponent(() => {
  const comparison = useComparison();
  const view = useView();
  const file = computed(() => comparison.files.find((each) => isSameFile(each, view.file)));
  return () => (
    <div class="changes">
      <FileList />
      {file.value === undefined ? (
        <div class="empty">
          {comparison.failure ??
            (comparison.isLoading
              ? 'Comparing…'
              : comparison.files.length === 0
                ? 'No file differs.'
                : 'Choose a file.')}
        </div>
      ) : (
        <FileDiff of={file.value} />
      )}
    </div>
  );
});

interface FileRowProps {
  readonly of: DiffFile;
  readonly index: number;
  readonly isOpen: boolean;
}

const FileRow = (props: FileRowProps) => {
  const { of: file, index } = props;
  const [letter, style] = letters[file.change] ?? ['?', ''];
  const view = useView();
  const picked = usePicked().countIn(file);
  return (
    <div
      id={`files-${index}`}
      class="file"
      role="option"
      aria-posinset={index + 1}
      aria-setsize={useComparison().files.length}
      aria-selected={props.isOpen}
      onClick={() => (view.file = file)}
    >
      <span class={['letter', style]} title={file.change} role="img">
        {letter}
      </span>
      <PathName of={file} />
      {picked === 0 ? null : (
        <span class="chip here" role="img" title={`${picked} picked`}>
          {picked}
        </span>
      )}
      <FileFigures of={file} />
    </div>
  );
};

const FileList = defineComponent(() => {
  const comparison = useComparison();
  const view = useView();
  const at = computed(() => comparison.files.findIndex((each) => isSameFile(each, view.file)));
  const row = (index: number) => (
    <FileRow key={index} of={comparison.files[index] as DiffFile} index={index} isOpen={index === at.value} />
  );
  return () => (
    <section class="files" aria-label="Files" aria-busy={comparison.isLoading}>
      <div class="files-head">
        <span>
          {countOf(comparison.files.length, 'file')}
          {comparison.isCut ? ' shown, there are more' : ''}
        </span>
      </div>
      {comparison.files.length === 0 ? null : (
        <VirtualList
          id="files"
          role="listbox"
          label="Files that differ"
          count={comparison.files.length}
          rowHeight={rowHeight}
          active={at.value}
          row={row}
          go={(index) => (view.file = comparison.files[index])}
        />
      )}
      <Picked />
      <Skipped />
    </section>
  );
});

const FileFigures = (props: { readonly of: DiffFile }) => {
  const { linesAdded = 0, linesRemoved = 0, binary, change, afterSize } = props.of;
  if (change === 'same') return <span class="stats dim">{sizeOf(afterSize ?? 0)}</span>;
  if (binary === true) return <span class="stats dim">binary</span>;
  const isMode = modesOf(props.of)?.startsWith('mode') === true;
  if (linesAdded + linesRemoved === 0) return <span class="stats dim">{isMode ? 'mode' : ''}</span>;
  return (
    <span class="stats" role="img" title={`lines: ${linesAdded} added, ${linesRemoved} removed`}>
      {linesAdded > 0 ? <span class="added">+{linesAdded}</span> : null}
      {linesRemoved > 0 ? <span class="deleted">−{linesRemoved}</span> : null}
    </span>
  );
};

/** Shows the picked hunks of all files, and the button that reverts them together. */
const Picked = () => {
  const [changing, comparison, picked] = [useChanging(), useComparison(), usePicked()];
  function revert(): void {
    const intent = revertOfPicked(comparison.sides);
    if (intent !== undefined) changing.begin(intent);
  }
  return (
    <div class="picked" role="status">
      {picked.hunks.length === 0 ? null : (
        <>
          <span>
            {countOf(picked.hunks.length, 'hunk')} of {countOf(picked.files, 'file')} picked
          </span>
          <span class="buttons start">
            <button type="button" id="revert-picked" onClick={revert}>
              <Icon name="revert" />
              Revert {picked.hunks.length === 1 ? 'it' : 'them'}…
            </button>
            <button type="button" class="bare" onClick={() => picked.clear()}>
              Clear
            </button>
          </span>
        </>
      )}
    </div>
  );
};

const Skipped = () => {
  const comparison = useComparison();
  return comparison.skipped.length === 0 ? null : (
    <details class="skipped">
      <summary>{countOf(comparison.skipped.length, 'path')} left out</summary>
      <ul>
        {comparison.skipped.map((each) => (
          <li>
            <PathName of={each} /> <span class="dim">{inWords(each.reason)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
};

/**
 * While the page reads the next difference, the previous difference stays visible for up to this time in ms. This
 * prevents flicker.
 */
const formerMs = 300;

/** The open file and its difference. All fields change together. */
interface OpenFile {
  readonly sides: Sides;
  readonly file: DiffFile;
  readonly shown: Shown;
  readonly offered: OfferedHunks | undefined;
}

const FileDiff = defineComponent(
  (props: { readonly of: DiffFile }) => {
    const comparison = useComparison();
    const open = shallowRef<OpenFile>();
    const authors = ref<string>();
    const failure = ref<string>();
    let running = new AbortController();

    async function load(): Promise<void> {
      running.abort();
      const own = new AbortController();
      running = own;
      const { sides } = comparison;
      const file = props.of;
      if (sides === undefined) return;
      const isOther = !isSameFile(file, open.value?.file);
      const late = setTimeout(() => isOther && own === running && dropFormer(), formerMs);
      try {
        const shown = await shownOf(sides, file, own.signal).finally(() => clearTimeout(late));
        const next = { sides, file, shown, offered: offeredOf(sides, file, shown) };
        if (own !== running) return;
        [open.value, failure.value, authors.value] = [next, undefined, undefined];
        const found = await authorsOf(sides, file, own.signal);
        if (own === running) authors.value = found;
      } catch (error) {
        if (own === running) failure.value = error instanceof Error ? error.message : String(error);
      }
    }
    function dropFormer(): void {
      [open.value, failure.value, authors.value] = [undefined, undefined, undefined];
    }
    watch([() => props.of, () => comparison.key], () => void load(), { immediate: true });

    return () => {
      const { file, shown, sides, offered } = open.value ?? { file: props.of };
      return (
        <section class="file-diff" aria-label={`Difference of ${file.path}`}>
          <FileHead of={file} shown={shown} sides={sides} authors={authors.value} />
          {failure.value === undefined ? (
            <FileDifference path={file.path} shown={shown} offered={offered} sizes={sizesOf(file)} />
          ) : (
            <div class="empty problem" role="alert">
              {failure.value}
            </div>
          )}
        </section>
      );
    };
  },
  { props: ['of'] },
);

/** Returns those hunks of a difference that the user can revert. Returns undefined when there are none. */
function offeredOf(sides: Sides, file: DiffFile, shown: Shown): OfferedHunks | undefined {
  if (shown.kind !== 'text' || shown.named.length === 0 || sides.from === undefined) return undefined;
  // An added or deleted file has only one hunk: the whole file.
  if (file.change === 'added' || file.change === 'deleted') return undefined;
  const [changing, picked] = [useChanging(), usePicked()];
  return {
    path: file.path,
    hunks: shown.named,
    pick: ({ id }) => picked.toggle(file, id),
    isPicked: ({ id }) => picked.has(file, id),
    revert: (hunk) => {
      const intent = revertOfHunk(sides, file, hunk);
      if (intent !== undefined) changing.begin(intent);
    },
  };
}

function sizesOf({ beforeSize, afterSize }: DiffFile): string {
  const [before, after] = [beforeSize, afterSize].map((size) =>
    size === undefined ? 'nothing' : sizeOf(size),
  );
  return before === after ? `${after}` : `${before} → ${after}`;
}

function modesOf({ beforeMode, afterMode }: DiffFile): string | undefined {
  const links = [beforeMode, afterMode].includes('120000') ? 'symbolic link' : undefined;
  if (beforeMode === undefined || afterMode === undefined || beforeMode === afterMode) return links;
  return `mode ${beforeMode} → ${afterMode}`;
}

interface FileHeadProps {
  readonly of: DiffFile;
  readonly shown: Shown | undefined;
  /** The two compared states. Undefined while no difference is shown. */
  readonly sides: Sides | undefined;
  /** A text such as `by the user`. Undefined when the ledger does not know the author, or has not answered yet. */
  readonly authors: string | undefined;
}

const FileHead = (props: FileHeadProps) => {
  const changing = useChanging();
  const view = useView();
  function restoreThis(): void {
    const intent = restoreOfFile(props.of);
    if (intent !== undefined) changing.begin(intent);
  }
  function play(): void {
    view.history = props.of;
    view.room = 'file';
  }
  const { of: file, shown, sides } = props;
  const revert = sides === undefined ? undefined : revertOfFile(sides, file);
  return (
    <header class="file-head">
      <span class="file-title">
        {file.oldPath === undefined ? null : (
          <>
            <PathName of={{ path: file.oldPath }} />
            <span class="dim"> → </span>
          </>
        )}
        <PathName of={file} />
      </span>
      {props.authors === undefined ? null : <span class="authors dim">{props.authors}</span>}
      <Remarks of={file} shown={shown} />
      {shown?.kind === 'text' && !mustBeSideBySide(shown.hunks, shown.before) ? <Layout /> : null}
      <button type="button" onClick={play} title="The history of this file">
        <Icon name="history" />
        <span class="wide-only">History</span>
      </button>
      {revert === undefined ? null : (
        <button
          type="button"
          onClick={() => changing.begin(revert)}
          title="Revert the changes of this file, and keep all later changes"
        >
          <Icon name="revert" />
          <span class="wide-only">Revert file…</span>
        </button>
      )}
      <button type="button" onClick={restoreThis} title="Restore this file alone (R)">
        <Icon name="restore" />
        <span class="wide-only">Restore file…</span>
      </button>
    </header>
  );
};

const Remarks = (props: { readonly of: DiffFile; readonly shown: Shown | undefined }) => {
  const { of: file, shown } = props;
  const mode = modesOf(file);
  const isText = shown?.kind === 'text';
  return (
    <>
      {mode === undefined ? null : <span class="chip">{mode}</span>}
      {isText && !shown.isUtf8 ? (
        <span class="chip warn" title="Shown byte by byte, as Latin-1.">
          not UTF-8
        </span>
      ) : null}
      {isText && shown.hunks === undefined ? (
        <span class="chip warn" title="The daemon's patch is too long to be sent.">
          compared here
        </span>
      ) : null}
    </>
  );
};

const Layout = () => {
  const view = useView();
  return (
    <div class="switch" role="group" aria-label="Layout of differences">
      <button type="button" aria-pressed={!view.isSideBySide} onClick={() => (view.isSideBySide = false)}>
        Unified
      </button>
      <button type="button" aria-pressed={view.isSideBySide} onClick={() => (view.isSideBySide = true)}>
        Side by side
      </button>
    </div>
  );
};
