// The lines of a file for people's eyes: other encodings than UTF-8 are recognised and named, and what a terminal would
// obey, or not show at all, is written in letters.
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** Bytes as lines of text. */
export interface ReadableLines {
  readonly lines: readonly string[];
  /** The encoding that lines which are not UTF-8 are read as. Absent: every line is UTF-8. */
  readonly encoding?: string;
}

/** A Japanese text has kana among its letters, which no text in a Western encoding decodes to. */
const japanese = [
  ['Shift-JIS', 'shift_jis'],
  ['EUC-JP', 'euc-jp'],
] as const;
const kana = /[\u3040-\u30ff]/g;
/** Beyond ASCII. */
const foreign = /[^\0-\u007f]/g;
/** At least this share of the letters beyond ASCII is kana in a Japanese text. */
const kanaShare = 0.2;

/** Control characters but the tab, marks that turn the direction of writing, and characters without a width. */
const invisible =
  /[^\P{Cc}\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Reads bytes as lines. The encoding is guessed line by line: the two sides of a diff need not have the same one. */
export function readableLines(bytes: Buffer): ReadableLines {
  if (isUtf8(bytes)) return { lines: bytes.toString('utf8').split('\n') };
  const raw = splitLines(bytes);
  const [encoding, decoder] = encodingOf(Buffer.concat(raw.filter((line) => !isUtf8(line))));
  return {
    lines: raw.map((line) => (isUtf8(line) ? line.toString('utf8') : decoder.decode(line))),
    encoding,
  };
}

/** A line with each character that a terminal would obey or hide in letters: `^M`, `\u202e`. */
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
    const text = decoded(decoder, bytes);
    const share = (text?.match(kana)?.length ?? 0) / (text?.match(foreign)?.length ?? 1);
    if (share >= kanaShare) return [name, new TextDecoder(label)];
  }
  return ['Latin-1', new TextDecoder('windows-1252')];
}

/** The text; undefined where the bytes are none in this encoding. */
function decoded(decoder: TextDecoder, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
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
