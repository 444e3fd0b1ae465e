// Converts a text to one line for a terminal. Cuts only texts that are longer than any useful subject line of a commit.

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
