// Writes to the terminal, in colour only if the user wants it, and cuts lines to its width. Never writes a
// byte that could move the cursor, change a title or fake a line. This module is independent of checkpoints.
import { once } from 'node:events';
import { stripVTControlCharacters, styleText } from 'node:util';
import { systemCode } from '../base/errors.ts';

const batchLength = 1 << 16;

type Style = Parameters<typeof styleText>[0];

/** Control characters, line breaks, and the marks that change the direction of writing. */
const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Returns foreign text (a message, a name, a path) as one line, without escapes. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\uFFFD',
  );
}

/** Returns `%Y-%m-%d %H:%M:%S` in the user's time zone. */
export function localTime(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** Returns foreign text of several lines. Line breaks and tabs stay. */
export function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(plain).join('\t'))
    .join('\n');
}

export function wantsColour(stream: { readonly isTTY?: boolean } = process.stdout): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
}

export function paint(style: Style, text: string): string {
  return wantsColour() ? styleText(style, text) : text;
}

/**
 * Cuts a line to the width of the terminal, minus `taken` columns. Returns the whole line when there is no
 * terminal.
 */
export function fit(line: string, taken = 0): string {
  const { isTTY, columns } = process.stdout;
  return !isTTY || columns === undefined || columns === 0 ? line : cutTo(line, Math.max(1, columns - taken));
}

/** Ignores from now on that the reader of our output (`… | head`) has closed it. */
export function allowUnread(): void {
  process.stdout.on('error', (error) => {
    if (!isUnread(error)) throw error;
  });
}

function isUnread(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '');
}

/** The stream or pager that gets the output. */
export interface Listener {
  /** False when the stream is full for now. */
  readonly write: (text: string | Uint8Array) => boolean;
  /** Resolves to true when the stream accepts more, and to false when it never will. */
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

/** Sends all further output to another stream, until the returned function is called. */
export function redirectSaying(to: Listener): () => void {
  const before = listener;
  listener = to;
  return () => (listener = before);
}

export function say(line: string): void {
  listener.write(`${line}\n`);
}

/** Prints many lines at the speed of the reader, and stops when the reader is gone. */
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

/** Writes raw bytes at the speed of the reader, and stops when the reader is gone. */
export async function sayBytes(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += batchLength)
    if (!(await written(bytes.subarray(at, at + batchLength)))) return;
}

/** Resolves to true when more can be written, and to false when the reader is gone. */
async function written(batch: string | Uint8Array): Promise<boolean> {
  if (!listener.write(batch)) return listener.ready();
  // Yields to the event loop: with a fast reader, Ctrl-C and the reader's end would otherwise go unnoticed.
  await new Promise((resolve) => setImmediate(resolve));
  return true;
}

/** Prints to standard error, for lines that a script must not get with the result. */
export function note(line: string): void {
  process.stderr.write(`checkpointd: ${plain(line)}\n`);
}

/** The escapes of our own colours. */
const colour = new RegExp(`(${String.fromCodePoint(27)}\\[[\\d;]*m)`);
/** Made when first needed, as `segments`: both take a while, and most lines have only letters one column wide. */
const wide = madeOnce(
  () =>
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u,
);
const segments = madeOnce(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
/** Each of these letters is one column wide, and is never joined with the next. */
const simple = /^[ -~]*$/;

/** Returns the width in columns. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const part of text.split(colour)) if (!colour.test(part)) columns += partWidth(part);
  return columns;
}

/** Returns the text, cut with `…` if it is wider than that. */
export function cutTo(text: string, columnsMax: number): string {
  // Most lines are short, and a letter is at most two columns wide.
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
