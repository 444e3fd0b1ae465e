// Applies a unified diff of one text, because a diff may look correct and still not apply. The context lines and
// removed lines of the diff must match the text. Does not support binary patches, and ignores file names.

/** Returns the text after the patch. Throws if the patch does not match. An empty patch changes nothing. */
export function applyUnified(before: string, patch: string): string {
  const source = splitLines(before);
  const result: string[] = [];
  const lines = splitLines(patch);
  let at = 0;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(line);
    if (hunk !== null) {
      const start = hunk[2] === '0' ? Number(hunk[1]) : Number(hunk[1]) - 1;
      while (at < start) result.push(source[at++] ?? '');
      continue;
    }
    if (result.length === 0 && at === 0 && /^(diff|index|---|\+\+\+|new|deleted|old|similarity) /.test(line))
      continue;
    // The line "\ No newline at end of file" means that the previous line has no newline.
    const text = lines[i + 1]?.startsWith('\\') ? line.slice(1, -1) : line.slice(1);
    if (line.startsWith('+')) result.push(text);
    else if (line.startsWith(' ') || line.startsWith('-')) {
      if (source[at] !== text)
        throw new Error(`line ${at + 1} is ${JSON.stringify(source[at])}, not ${JSON.stringify(text)}`);
      at += 1;
      if (line.startsWith(' ')) result.push(text);
    } else if (!line.startsWith('\\')) throw new Error(`no line of a diff: ${JSON.stringify(line)}`);
  }
  while (at < source.length) result.push(source[at++] ?? '');
  return result.join('');
}

/** Splits a text into lines and keeps their newlines. The last line may have no newline. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}
