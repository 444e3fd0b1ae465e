// Makes text from other programs safe to show: control characters, line breaks and marks that change the direction of
// writing become visible signs. Also formats times, sizes and counts.

/** Matches control characters, separators of lines, marks of direction and other invisible characters. */
const unsafe = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

export interface Piece {
  readonly text: string;
  /** The code point, such as `U+202E`, if the piece is an invisible character. Absent for ordinary text. */
  readonly code?: string;
}

/**
 * Says how line feeds and tabs are shown: unchanged, as spaces, or as signs. Names show line feeds and tabs as signs,
 * because these characters are unusual in a name.
 */
export type Blanks = 'kept' | 'spaces' | 'signs';

/** Splits the text into pieces. Each invisible character becomes a piece with its code. */
export function piecesOf(text: string, blanks: Blanks = 'spaces'): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  for (const character of text) {
    const isBlank = (character === '\n' || character === '\t') && blanks !== 'signs';
    if (isBlank) plain += blanks === 'kept' ? character : ' ';
    else if (!unsafe.test(character)) plain += character;
    else {
      if (plain !== '') pieces.push({ text: plain });
      plain = '';
      const code = codeOf(character.codePointAt(0) ?? 0);
      pieces.push({ text: code, code });
    }
  }
  if (plain !== '') pieces.push({ text: plain });
  return pieces;
}

/**
 * Returns the text for a title or label. A title or label cannot contain markup, so this function writes the signs as
 * plain text.
 */
export function plainText(text: string, blanks: Blanks = 'spaces'): string {
  return piecesOf(text, blanks)
    .map(({ text, code }) => (code === undefined ? text : `<${code}>`))
    .join('');
}

/** Returns a code point in the form `U+202E`. */
export function codeOf(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}

export function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Returns a time of today in the form `14:05:09`. For other days, returns the date and the time without seconds. */
export function timeOf(timestamp: string | number): string {
  const at = new Date(timestamp);
  const time = at.toLocaleTimeString('en-GB');
  if (at.toDateString() === new Date().toDateString()) return time;
  return `${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time.slice(0, 5)}`;
}

export function sinceWords(ms: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - ms) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60
    ? `${Math.round(minutes / 60)} h ago`
    : `${Math.round(minutes / 60 / 24)} days ago`;
}
