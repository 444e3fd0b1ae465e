// How wide a text is on a terminal, and a text cut to a width. Colours take no room and are never cut in two.

/** The escapes that we write ourselves. */
const colour = new RegExp(`(${String.fromCodePoint(27)}\\[[\\d;]*m)`);
/** Made when first needed, as `segments`: both take a while, and most lines are of letters one column wide. */
const wide = once(
  () =>
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u,
);
const segments = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
/** Each of these letters is one column, and is not joined with the next. */
const simple = /^[ -~]*$/;

/** In columns. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const part of text.split(colour)) if (!colour.test(part)) columns += partWidth(part);
  return columns;
}

/** The text, cut with `…` where it is wider than that. */
export function cutTo(text: string, columnsMax: number): string {
  // Most lines are short; a letter is at most two columns wide.
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

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
