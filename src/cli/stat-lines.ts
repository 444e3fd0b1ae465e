// A diff in numbers, as `git diff --stat` lays it out, with names as the person who asked would type them.
import type { CheckpointDiffResult, DiffFile } from '../protocol/types.ts';
import { plain } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';
import { cutTo, widthOf } from './width.ts';

/** As wide as git makes it where there is no terminal. */
const usualWidth = 80;
/** The narrowest graph, and the most of a line that a name may take. */
const graphMin = 10;
const nameShare = 0.6;

/** The lines for a diff; none where nothing differs. */
export function statLines(
  { files, stats }: Pick<CheckpointDiffResult, 'files' | 'stats'>,
  places: TreePaths,
  width = process.stdout.columns ?? usualWidth,
): string[] {
  const rows = files
    .filter(({ beforeMode }) => beforeMode?.startsWith('04') !== true)
    .map((file) => ({ name: nameOf(file, places), figure: figureOf(file), file }));
  const nameWidth = Math.min(
    Math.max(0, ...rows.map(({ name }) => widthOf(name))),
    Math.max(graphMin, Math.floor(width * nameShare)),
  );
  const figureWidth = Math.max(
    0,
    ...rows.map(({ file, figure }) => (file.binary === true ? 3 : figure.length)),
  );
  const room = Math.max(graphMin, width - nameWidth - figureWidth - 5);
  const most = Math.max(1, ...files.map((file) => linesOf(file)));
  const lines = rows.map(({ name, figure, file }) => {
    const cut = cutTo(name, nameWidth);
    const padded = `${cut}${' '.repeat(nameWidth - widthOf(cut))}`;
    return ` ${padded} | ${figure.padStart(file.binary === true ? 0 : figureWidth)} ${graphOf(file, most, room)}`.trimEnd();
  });
  const modes = files
    .filter(({ beforeMode, afterMode }) => beforeMode && afterMode && beforeMode !== afterMode)
    .map((file) => ` mode change ${file.beforeMode} => ${file.afterMode} ${nameOf(file, places)}`);
  return [...lines, ...modes, ...summaryOf(files, stats)];
}

function nameOf({ path, oldPath }: DiffFile, places: TreePaths): string {
  const name = plain(places.toShow(path));
  return oldPath === undefined ? name : `${plain(places.toShow(oldPath))} => ${name}`;
}

function figureOf(file: DiffFile): string {
  if (file.binary !== true) return String(linesOf(file));
  return `Bin ${file.beforeSize ?? 0} -> ${file.afterSize ?? 0} bytes`;
}

function linesOf({ linesAdded = 0, linesRemoved = 0 }: DiffFile): number {
  return linesAdded + linesRemoved;
}

/** A `+` for each line added and a `-` for each removed; fewer where the largest file has more than there is room for. */
function graphOf({ linesAdded = 0, linesRemoved = 0 }: DiffFile, most: number, room: number): string {
  const scaled = (lines: number): number =>
    most <= room || lines === 0 ? lines : Math.max(1, Math.round((lines * room) / most));
  return '+'.repeat(scaled(linesAdded)) + '-'.repeat(scaled(linesRemoved));
}

function summaryOf(files: readonly DiffFile[], stats: CheckpointDiffResult['stats']): string[] {
  const count = stats.added + stats.modified + stats.deleted;
  if (count === 0) return [];
  const total = (of: (file: DiffFile) => number | undefined): number =>
    files.reduce((sum, file) => sum + (of(file) ?? 0), 0);
  const said = (number: number, what: string, sign: string): string[] =>
    number === 0 ? [] : [`${number} ${what}${number === 1 ? '' : 's'}(${sign})`];
  const parts = [
    `${count} ${count === 1 ? 'file' : 'files'} changed`,
    ...said(
      total(({ linesAdded }) => linesAdded),
      'insertion',
      '+',
    ),
    ...said(
      total(({ linesRemoved }) => linesRemoved),
      'deletion',
      '-',
    ),
  ];
  return [` ${parts.join(', ')}`];
}
