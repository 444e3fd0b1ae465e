// Shows the difference of one file as text, as a patch or as images, or the reason why no content is shown.
import { useView } from '../state/view.ts';
import type { Shown } from './contents.ts';
import { DiffView } from './diff-view.tsx';
import type { OfferedHunks } from './hunk-lines.ts';
import { ImagePair } from './image-pair.tsx';
import { PatchView } from './patch-view.tsx';

interface DifferenceProps {
  readonly path: string;
  /** Undefined until the page has read the difference. */
  readonly shown: Shown | undefined;
  readonly offered?: OfferedHunks | undefined;
  /** A text with the sizes, for a content that is not shown. */
  readonly sizes?: string;
}

export const FileDifference = (props: DifferenceProps) => {
  const { path, shown, offered, sizes } = props;
  const { isSideBySide } = useView();
  if (shown === undefined) return <div class="empty">Reading…</div>;
  if (shown.kind === 'text') {
    const { before, after, hunks } = shown;
    const texts = { path, before, after, hunks, offered };
    return <DiffView {...texts} isSideBySide={isSideBySide} />;
  }
  if (shown.kind === 'patch') return <PatchView text={shown.text} label={path} />;
  if (shown.kind === 'image' && (shown.before !== undefined || shown.after !== undefined))
    return <ImagePair before={shown.before} after={shown.after} />;
  return (
    <div class="empty">
      {shown.kind === 'large' ? 'This file is too large to be shown here.' : 'This file is binary.'}
      <br />
      <span class="dim">{sizes}</span>
    </div>
  );
};
