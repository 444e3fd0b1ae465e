// What a turn's checkpoint is called when nobody names it (Q22). Cuts bytes, because git's subject line and a
// terminal's row are what it must fit.

const bytesMax = 60;

/** The user's message in at most 60 bytes, or cut at a space (else a character) with `...`: at most 63 bytes. */
export function describeTurn(message: string | undefined): string {
  if (message === undefined || message === '') return 'Turn completed';
  // 61 UTF-16 units are more than 60 bytes, so the rest of a long message need not be encoded.
  const bytes = Buffer.from(message.slice(0, bytesMax + 1), 'utf8');
  if (bytes.length <= bytesMax) return message;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const cut = bytes.toString('utf8', 0, end);
  const space = cut.lastIndexOf(' ');
  return `${space < 0 ? cut : cut.slice(0, space)}...`;
}
