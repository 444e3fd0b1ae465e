// Makes the restores and reverts that the page offers. A restore brings back a whole checkpoint or a file. A revert
// undoes a whole checkpoint, or a file or hunks of the shown comparison.
import type { Checkpoint, DiffFile, DiffHunk } from '../../protocol/types.ts';
import { refOf, type Sides } from './diff/contents.ts';
import { useComparison } from './state/comparison.ts';
import type { Intent } from './state/intent.ts';
import { usePicked } from './state/picked.ts';
import { useTimeline } from './state/timeline.ts';
import { countOf, plainText } from './text.ts';
import { labelOf } from './timeline.tsx';

export type Revert = Extract<Intent, { readonly does: 'revert' }>;
type Restore = Extract<Intent, { readonly does: 'restore' }>;

const revertible: ReadonlySet<string> = new Set(['restore', 'tool', 'turn']);

/** True when the changes of this kind of checkpoint can be reverted. */
export function isRevertible({ kind }: Checkpoint): boolean {
  return revertible.has(kind);
}

export const restoreOf = (checkpoint: Checkpoint): Restore => ({
  does: 'restore',
  tag: checkpoint.id,
  label: labelOf(checkpoint),
});

/**
 * Returns the restore of one file from the selected checkpoint. If the page shows the current state, the file is
 * restored from the last checkpoint. Returns undefined when there is no checkpoint.
 */
export function restoreOfFile(file: DiffFile): Restore | undefined {
  const { checkpoint, sides } = useComparison();
  const paths = [refOf(file)];
  if (checkpoint !== undefined) return { ...restoreOf(checkpoint), paths };
  const tag = sides?.from;
  return tag === undefined ? undefined : { does: 'restore', tag, label: 'the last checkpoint', paths };
}

/** Returns the revert of a turn, a tool or a restore. */
export function revertOf(checkpoint: Checkpoint): Revert {
  const label = checkpoint.kind === 'restore' ? 'this restore' : `${checkpoint.kind} ${named(checkpoint)}`;
  return { does: 'revert', range: { tag: checkpoint.id }, label };
}

/** Returns the revert of one file's changes between two states. Returns undefined when there is no earlier state. */
export function revertOfFile(sides: Sides, file: DiffFile): Revert | undefined {
  const range = rangeOf(sides);
  if (range === undefined || file.change === 'same') return undefined;
  return { does: 'revert', range, label: plainText(file.path, 'signs'), paths: [refOf(file)] };
}

/** Returns the revert of one hunk of a file. Returns undefined when there is no earlier state. */
export function revertOfHunk(sides: Sides, file: DiffFile, { id }: DiffHunk): Revert | undefined {
  const range = rangeOf(sides);
  if (range === undefined) return undefined;
  return {
    does: 'revert',
    range,
    label: `1 hunk of ${plainText(file.path, 'signs')}`,
    hunks: [{ ...refOf(file), id }],
  };
}

/** Returns the revert of all picked hunks. Returns undefined when no hunk is picked. */
export function revertOfPicked(sides: Sides | undefined): Revert | undefined {
  const { hunks, files } = usePicked();
  const range = sides === undefined ? undefined : rangeOf(sides);
  if (range === undefined || hunks.length === 0) return undefined;
  const [first] = hunks;
  const where = files === 1 && first !== undefined ? plainText(first.path, 'signs') : countOf(files, 'file');
  return { does: 'revert', range, label: `${countOf(hunks.length, 'hunk')} of ${where}`, hunks };
}

interface Range {
  readonly from: string;
  readonly to?: string | undefined;
}

function rangeOf({ from, to }: Sides): Range | undefined {
  return from === undefined ? undefined : { from, ...(to === undefined ? {} : { to }) };
}

/** Returns a text that names both ends of a range, such as `[1] to [1.1]` or `[2.1] to now`. */
export function endsOf({ from, to }: Range): string {
  const { byId } = useTimeline();
  const name = (id: string): string => {
    const known = byId.get(id);
    return known === undefined ? id : named(known);
  };
  return `${name(from)} to ${to === undefined ? 'now' : name(to)}`;
}

function named(checkpoint: Checkpoint): string {
  return `[${labelOf(checkpoint)}]`;
}
