// Matches one part of a glob with one name: `*`, `?`, classes and quoting. After a mismatch, the match goes back only
// to the last `*`. So a match takes at most as many steps as the length of the pattern times the length of the name.

/** A name, read character by character. A character is a byte, as in a TreePath. */
interface Characters {
  readonly length: number;
  charCodeAt(index: number): number;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** A condition that one character of a name must meet. */
interface Class {
  readonly ranges: readonly Range[];
  readonly isNegated: boolean;
}

/** One token of a pattern: a character code, a class, or `*` for any number of characters. */
type Token = number | Class | '*';

const anyCharacter: Class = { ranges: [], isNegated: true };

export const anyName = '*';

export class NamePattern {
  readonly #tokens: readonly Token[];
  /** The length in characters of the shortest name that matches. */
  readonly #lengthMin: number;

  constructor(pattern: string) {
    this.#tokens = compile(pattern);
    this.#lengthMin = this.#tokens.filter((token) => token !== '*').length;
  }

  matches(name: Characters): boolean {
    const tokens = this.#tokens;
    if (name.length < this.#lengthMin) return false;
    let token = 0;
    let at = 0;
    // The last star, and the position in the name after the characters that this star has matched so far. The match
    // never goes back to an earlier star, because the last star can match any characters that an earlier star could.
    let star = -1;
    let resume = 0;
    while (at < name.length) {
      const wanted = tokens[token];
      if (wanted === '*') {
        star = token;
        resume = at;
        token += 1;
      } else if (wanted !== undefined && matchesCode(wanted, name.charCodeAt(at))) {
        token += 1;
        at += 1;
      } else {
        if (star < 0) return false;
        token = star + 1;
        resume += 1;
        at = resume;
      }
    }
    return token === tokens.length || (token === tokens.length - 1 && tokens[token] === '*');
  }
}

function matchesCode(wanted: number | Class, code: number): boolean {
  if (typeof wanted === 'number') return wanted === code;
  return wanted.ranges.some(({ low, high }) => low <= code && code <= high) !== wanted.isNegated;
}

function compile(pattern: string): Token[] {
  const tokens: Token[] = [];
  const lastBracket = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (char === '?') tokens.push(anyCharacter);
    else if (char === '\\' && at + 1 < pattern.length) tokens.push(pattern.charCodeAt((at += 1)));
    else {
      const bracket = char === '[' && at < lastBracket ? readClass(pattern, at) : undefined;
      tokens.push(bracket?.class ?? pattern.charCodeAt(at));
      at = bracket?.end ?? at;
    }
  }
  return tokens;
}

/** Reads the class that begins at `[`. Returns undefined when the class is not closed. */
function readClass(
  pattern: string,
  start: number,
): { readonly class: Class; readonly end: number } | undefined {
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = isNegated ? start + 2 : start + 1;
  const end = pattern.indexOf(']', first + 1);
  if (end < 0) return undefined;
  const ranges: Range[] = [];
  for (let at = first; at < end; at += 1) {
    const low = pattern.charCodeAt(at);
    const isRange = pattern[at + 1] === '-' && at + 2 < end;
    if (isRange) at += 2;
    ranges.push({ low, high: pattern.charCodeAt(at) });
  }
  return { class: { ranges, isNegated }, end };
}
