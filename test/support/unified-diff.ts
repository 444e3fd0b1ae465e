// Applies a unified diff of one text, so that a test can tell a right one from one that merely looks right.
// Strict: context and removed lines must be there as written. Knows no file names and no binary patches.

/** The text after the patch; throws where the patch does not fit. An empty patch changes nothing. */
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
    // "\ No newline at end of file" takes the newline of the line before it away.
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

/** Lines with their newlines; a last line without one stays without. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}
