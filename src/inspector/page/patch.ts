// Reads the daemon's unified patch of one file into hunks. Makes the later text from the earlier text and the patch, so
// the daemon needs to send only one of the two texts. All functions are pure.

/**
 * Consecutive lines that differ. Lines are counted from 0. If a side has no lines, its line number is the number of the
 * line after the hunk.
 */
export interface Hunk {
  readonly fromLine: number;
  readonly removed: readonly string[];
  readonly toLine: number;
  readonly added: readonly string[];
}

/** Both texts, with their line ends, and the hunks in which they differ. */
export interface PatchedTexts {
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly Hunk[];
}

/** The error when a patch does not fit the text, because the file changed between the two requests. */
export class PatchMismatch extends Error {}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads the hunks of a patch of one file, without the context. Only a line feed ends a line. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  const lines = patch.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const found = header.exec(lines[at] ?? '');
    if (found === null) continue;
    const [, fromText, fromCount = '1', toText, toCount = '1'] = found;
    // If a side has no lines, the patch gives the number of the line before the hunk.
    let fromLine = Number(fromText) - (fromCount === '0' ? 0 : 1);
    let toLine = Number(toText) - (toCount === '0' ? 0 : 1);
    const end = { from: fromLine + Number(fromCount), to: toLine + Number(toCount) };
    let run: { fromLine: number; removed: string[]; toLine: number; added: string[] } | undefined;
    while (fromLine < end.from || toLine < end.to || lines[at + 1]?.startsWith('\\') === true) {
      at += 1;
      const line = lines[at];
      if (line === undefined) throw new PatchMismatch('the patch is cut');
      const text = `${line.slice(1)}\n`;
      if (line.startsWith('\\')) endWithoutBreak(lines[at - 1], run);
      else if (line.startsWith('-') || line.startsWith('+')) {
        if (run === undefined) hunks.push((run = { fromLine, removed: [], toLine, added: [] }));
        if (line.startsWith('-')) fromLine += run.removed.push(text) > 0 ? 1 : 0;
        else toLine += run.added.push(text) > 0 ? 1 : 0;
      } else {
        run = undefined;
        fromLine += 1;
        toLine += 1;
      }
    }
  }
  return hunks;
}

/**
 * Removes the line feed from the last line, because a remark in the patch says that this line ends without a line feed.
 */
function endWithoutBreak(
  before: string | undefined,
  run: { removed: string[]; added: string[] } | undefined,
): void {
  const side =
    before?.startsWith('-') === true
      ? run?.removed
      : before?.startsWith('+') === true
        ? run?.added
        : undefined;
  const last = side?.pop();
  if (last !== undefined) side?.push(last.slice(0, -1));
}

/** Makes the later text from the earlier text. Returns both texts. @throws PatchMismatch */
export function patched(before: string, hunks: readonly Hunk[]): PatchedTexts {
  const lines = before.split(/(?<=\n)/);
  const parts: string[] = [];
  let at = 0;
  for (const { fromLine, removed, added } of hunks) {
    if (fromLine < at || removed.some((line, i) => lines[fromLine + i] !== line))
      throw new PatchMismatch('the patch does not belong to this text');
    for (; at < fromLine; at += 1) parts.push(lines[at] ?? '');
    // Adds the lines one by one, because the number of arguments of a single call is limited.
    for (const line of added) parts.push(line);
    at += removed.length;
  }
  for (; at < lines.length; at += 1) parts.push(lines[at] ?? '');
  return { before, after: parts.join(''), hunks };
}

/** Makes the earlier text from the later text. Returns both texts. @throws PatchMismatch */
export function unpatched(after: string, hunks: readonly Hunk[]): PatchedTexts {
  const swapped = hunks.map(({ fromLine, removed, toLine, added }) => ({
    fromLine: toLine,
    removed: added,
    toLine: fromLine,
    added: removed,
  }));
  return { before: patched(after, swapped).after, after, hunks };
}
