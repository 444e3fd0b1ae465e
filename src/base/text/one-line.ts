// A text as one line that a terminal can show. It cuts nothing but what no subject line of a commit has room for.

const lengthMax = 1000;

/** The text with every run of control and format characters and line ends a space, at most 1,000 UTF-16 units. */
export function oneLine(text: string): string {
  return text
    .slice(0, lengthMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
}
