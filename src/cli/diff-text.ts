// Prints a diff. Writes an exact patch to a pipe or a file. On a terminal, prints text for people, or line counts in
// the layout of `git diff --stat`.
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { attempt, isA } from '../base/attempt.ts';
import type {
  CheckpointDiffParams,
  CheckpointDiffResult,
  DiffFile,
  RevertResult,
} from '../protocol/types.ts';
import { exits, type Task } from './command.ts';
import { CommandRefusal } from './refusal.ts';
import { cutTo, paint, plain, say, sayAll, sayBytes, widthOf } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';

export type Compared = Omit<CheckpointDiffParams, 'session' | 'format'>;

/** Prints a diff. @throws CommandRefusal for a patch that is too large */
export function sayDiff(task: Task, compared: Compared): Promise<void> {
  return process.stdout.isTTY ? sayParts(task, compared) : sayPatch(task, compared);
}

/**
 * Prints a patch that `git apply` accepts. Prints nothing when the patch is too large, because a cut patch would be
 * invalid.
 */
async function sayPatch({ ask }: Task, compared: Compared): Promise<void> {
  const result = await ask('checkpoint/diff', { ...compared, format: 'unified', binary: true });
  if (result.truncated === true) {
    const fact = 'the patch is too large to print at once';
    throw new CommandRefusal(
      'LimitExceeded',
      fact,
      'Name fewer paths, and repeat the command for the other paths.',
      exits.failed,
    );
  }
  await sayBytes(Buffer.from(result.text ?? '', result.encoding === 'base64' ? 'base64' : 'utf8'));
}

/** Prints each file separately, so that a file that is not UTF-8 does not affect the other files. */
async function sayParts({ ask, paths }: Task, compared: Compared): Promise<void> {
  const result = await ask('checkpoint/diff', { ...compared, format: 'unified', perFile: true });
  for (const file of result.files) await sayAll(partLines(file, paths.toShow(file.path)));
  if (result.truncated === true) say('… the output is cut; name fewer paths to see the rest');
}

/** Prints the patch of a plan. A pipe gets the exact patch, and a terminal gets the patch in colours. */
export async function sayPlannedPatch({
  text,
  encoding,
}: Pick<RevertResult, 'text' | 'encoding'>): Promise<void> {
  if (text === undefined) return say('The patch is too large to show. Name fewer paths.');
  const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  if (!process.stdout.isTTY) return sayBytes(bytes);
  for (const part of bytes.toString('latin1').split(/^(?=diff --git )/m)) {
    const unified = Buffer.from(part, 'latin1').toString('base64');
    await sayAll(partLines({ unified, encoding: 'base64' }, ''));
  }
}

/** Yields the lines of one file, in colour if the output supports colours. `shown` is the file name to display. */
export function* partLines(file: Pick<DiffFile, 'unified' | 'encoding'>, shown: string): Generator<string> {
  if (file.unified === undefined) {
    yield paint('bold', `${plain(shown)}: too large to show`);
    return;
  }
  const bytes = Buffer.from(file.unified, file.encoding === 'base64' ? 'base64' : 'utf8');
  const { lines, encoding } = readableLines(bytes);
  let isHeader = true;
  for (const line of lines) {
    if (isHeader && line.startsWith('@@')) {
      isHeader = false;
      if (encoding !== undefined) yield paint('bold', `(not UTF-8: read as ${encoding})`);
    }
    if (line !== '') yield isHeader ? paint('bold', visible(line)) : coloured(visible(line));
  }
}

function coloured(line: string): string {
  if (line.startsWith('+')) return paint('green', line);
  if (line.startsWith('-')) return paint('red', line);
  return line.startsWith('@@') ? paint('cyan', line) : line;
}

interface ReadableLines {
  readonly lines: readonly string[];
  /** The encoding of those lines that are not UTF-8. Absent when every line is UTF-8. */
  readonly encoding?: string;
}

/**
 * The Japanese encodings to try. If the decoded text has kana, the encoding is right, because text in a Western
 * encoding does not decode to kana.
 */
const japanese = [
  ['Shift-JIS', 'shift_jis'],
  ['EUC-JP', 'euc-jp'],
] as const;
const kana = /[\u3040-\u30ff]/g;
const foreign = /[^\0-\u007f]/g;
/** The minimum share of kana among the non-ASCII letters of a Japanese text. */
const kanaShare = 0.2;

/**
 * Matches control characters (except the tab), marks that change the direction of writing, and characters without a
 * width.
 */
const invisible =
  /[^\P{Cc}\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Decodes bytes as lines. Checks for each line whether it is UTF-8, because the two sides of a diff may use different
 * encodings.
 */
function readableLines(bytes: Buffer): ReadableLines {
  if (isUtf8(bytes)) return { lines: bytes.toString('utf8').split('\n') };
  const raw = splitLines(bytes);
  const [encoding, decoder] = encodingOf(Buffer.concat(raw.filter((line) => !isUtf8(line))));
  return {
    lines: raw.map((line) => (isUtf8(line) ? line.toString('utf8') : decoder.decode(line))),
    encoding,
  };
}

/** Shows control characters and hidden characters as visible signs, such as `^M` or `\u202e`. */
export function visible(line: string): string {
  return line.replace(invisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    if (code === 0x7f) return '^?';
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

function encodingOf(bytes: Buffer): readonly [name: string, decoder: TextDecoder] {
  for (const [name, label] of japanese) {
    const decoder = new TextDecoder(label, { fatal: true });
    const text = attempt(isA(TypeError), () => decoder.decode(bytes));
    const share = (text?.match(kana)?.length ?? 0) / (text?.match(foreign)?.length ?? 1);
    if (share >= kanaShare) return [name, new TextDecoder(label)];
  }
  return ['Latin-1', new TextDecoder('windows-1252')];
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const end = bytes.indexOf('\n', start);
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length + 1 : end + 1;
  }
  return lines;
}

/** The width that git uses for `--stat` without a terminal. */
const usualWidth = 80;
/** The minimum width of the graph. `nameShare` is the largest part of a line that a name may fill. */
const graphMin = 10;
const nameShare = 0.6;

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

/**
 * Returns a `+` for each added line and a `-` for each removed line. Draws fewer signs when the lines of the largest
 * file do not fit.
 */
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
