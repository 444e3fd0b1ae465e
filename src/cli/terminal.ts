// What goes to the terminal: colour only where one is wanted, and never a byte that could move the cursor, change a
// title or fake a line. It knows nothing of checkpoints.
import { stripVTControlCharacters, styleText } from 'node:util';
import { cutTo } from './width.ts';

type Style = Parameters<typeof styleText>[0];

/** Control characters, line breaks, and the marks that turn the direction of writing. */
const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text of somebody else's (a message, a name, a path) on one line, without escapes. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\uFFFD',
  );
}

/** Lines of a file (a diff): the same, but line breaks and tabs stay. */
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

/** Cuts a line to the width of the terminal, or to what is left of it; elsewhere it is whole. */
export function fit(line: string, taken = 0): string {
  const { isTTY, columns } = process.stdout;
  return !isTTY || columns === undefined || columns === 0 ? line : cutTo(line, Math.max(1, columns - taken));
}

let write = (text: string): void => void process.stdout.write(text);

/** What is said goes there from now on, until the returned function is called. */
export function redirectSaying(to: (text: string) => void): () => void {
  const before = write;
  write = to;
  return () => (write = before);
}

export function say(line: string): void {
  write(`${line}\n`);
}

/** Beside the result: what a script that reads the output must not get. */
export function note(line: string): void {
  process.stderr.write(`checkpointd: ${plain(line)}\n`);
}
