// Writes to the terminal, in colour if the user wants colours, and cuts lines to the terminal's width. Never writes a
// byte that could move the cursor, change the title of the terminal or fake a line.
import { once } from 'node:events';
import { stripVTControlCharacters, styleText } from 'node:util';
import { systemCode } from '../base/errors.ts';

const batchLength = 1 << 16;

type Style = Parameters<typeof styleText>[0];

/** Matches control characters, line breaks, and marks that change the direction of writing. */
const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text from other programs, such as a message, a name or a path, as one line without escapes. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\uFFFD',
  );
}

/** Returns a time in the format `%Y-%m-%d %H:%M:%S`, in the user's time zone. */
export function localTime(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** Returns text from other programs without escapes, but with line breaks and tabs. */
export function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(plain).join('\t'))
    .join('\n');
}

function wantsColour(stream: { readonly isTTY?: boolean } = process.stdout): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
}

export function paint(style: Style, text: string): string {
  return wantsColour() ? styleText(style, text) : text;
}

/** Cuts a line to the width of the terminal minus `taken` columns. Without a terminal, returns the whole line. */
export function fit(line: string, taken = 0): string {
  const { isTTY, columns } = process.stdout;
  return !isTTY || columns === undefined || columns === 0 ? line : cutTo(line, Math.max(1, columns - taken));
}

/** Makes this process ignore output errors after the reader of a pipe has closed the pipe (`… | head`). */
export function allowUnread(): void {
  process.stdout.on('error', (error) => {
    if (!isUnread(error)) throw error;
  });
}

function isUnread(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '');
}

/** The stream or pager that receives the output. */
interface Listener {
  /** Writes text. Returns false when the stream is full. */
  readonly write: (text: string | Uint8Array) => boolean;
  /** Resolves to true when the stream accepts more text, and to false when the reader has closed the stream. */
  readonly ready: () => Promise<boolean>;
}

let listener: Listener = {
  write: (text) => process.stdout.write(text),
  ready: () =>
    once(process.stdout, 'drain').then(
      () => true,
      (error: unknown) => {
        if (isUnread(error)) return false;
        throw error;
      },
    ),
};

/** Sends all further output to a different stream, until the caller calls the returned function. */
export function redirectSaying(to: Listener): () => void {
  const before = listener;
  listener = to;
  return () => (listener = before);
}

export function say(line: string): void {
  listener.write(`${line}\n`);
}

/** Prints many lines as fast as the reader accepts them. Stops when the reader has closed the stream. */
export async function sayAll(lines: Iterable<string>): Promise<void> {
  let batch = '';
  for (const line of lines) {
    batch += `${line}\n`;
    if (batch.length < batchLength) continue;
    if (!(await written(batch))) return;
    batch = '';
  }
  listener.write(batch);
}

/** Writes raw bytes as fast as the reader accepts them. Stops when the reader has closed the stream. */
export async function sayBytes(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += batchLength)
    if (!(await written(bytes.subarray(at, at + batchLength)))) return;
}

/**
 * Writes a batch. Resolves to true when the stream accepts more, and to false when the reader has closed the stream.
 */
async function written(batch: string | Uint8Array): Promise<boolean> {
  if (!listener.write(batch)) return listener.ready();
  // Yields to the event loop. Without this pause, this process would not notice Ctrl-C or the end of the reader while a
  // fast reader accepts all output.
  await new Promise((resolve) => setImmediate(resolve));
  return true;
}

/** Prints a line to standard error. Scripts do not read standard error as part of the result. */
export function note(line: string): void {
  process.stderr.write(`checkpointd: ${plain(line)}\n`);
}

/** Matches the colour escapes that this program writes. */
const colour = new RegExp(`(${String.fromCodePoint(27)}\\[[\\d;]*m)`);
/**
 * Matches the letters that are two columns wide. This regular expression and `segments` are made at first use, because
 * making them is slow and most lines do not need them.
 */
const wide = madeOnce(
  () =>
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u,
);
const segments = madeOnce(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
/** Matches a text of simple letters. Each simple letter is one column wide and never combines with the next letter. */
const simple = /^[ -~]*$/;

/** Returns the width of a text in columns. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const part of text.split(colour)) if (!colour.test(part)) columns += partWidth(part);
  return columns;
}

/** Returns the text, cut with `…` if it is wider than `columnsMax`. */
export function cutTo(text: string, columnsMax: number): string {
  // A quick check that is enough for most lines, because a letter is at most two columns wide.
  if (text.length * 2 <= columnsMax || widthOf(text) <= columnsMax) return text;
  let room = Math.max(0, columnsMax - 1);
  let cut = '';
  let isPainted = false;
  for (const part of text.split(colour)) {
    if (colour.test(part)) {
      cut += part;
      isPainted = true;
      continue;
    }
    for (const { segment } of segments().segment(part)) {
      const columns = wide().test(segment) ? 2 : 1;
      if (columns > room) return `${cut}…${isPainted ? '\u001b[0m' : ''}`;
      room -= columns;
      cut += segment;
    }
  }
  return cut;
}

function partWidth(part: string): number {
  if (simple.test(part)) return part.length;
  let columns = 0;
  for (const { segment } of segments().segment(part)) columns += wide().test(segment) ? 2 : 1;
  return columns;
}

function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
