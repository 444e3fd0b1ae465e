// Converts a text to one line for a terminal. This function cuts a text only at a length that no subject line
// of a commit needs.

const lengthMax = 1000;

/**
 * Returns the text with every run of control characters, format characters and line ends replaced by a space, at most
 * 1,000 UTF-16 units.
 */
export function oneLine(text: string): string {
  return text
    .slice(0, lengthMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
}
