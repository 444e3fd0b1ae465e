// Converts a text to one line for a terminal. Cuts a text only if it is longer than any useful subject line of a
// commit.

const lengthMax = 1000;

/**
 * Returns the text as one line of at most 1,000 UTF-16 units. A space replaces each run of control characters, format
 * characters and line ends.
 */
export function oneLine(text: string): string {
  return text
    .slice(0, lengthMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
}
