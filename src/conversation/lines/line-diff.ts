// How many lines an edit adds and removes. Counts only; the differ of files is elsewhere.

/** Lines of a text as editors count them: a last line without a newline counts, the empty text has none. */
export function lineCount(text: string): number {
  return linesIn(text).length;
}

function linesIn(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

// Work grows with the square of this; texts that differ more are counted as replaced from end to end.
const differencesMax = 1000;

/** Lines added and removed between two texts, by the shortest edit script (Myers), common ends taken off first. */
export function countLineChanges(before: string, after: string): { added: number; removed: number } {
  const [a, b] = [linesIn(before), linesIn(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [n, m] = [endA - start, endB - start];
  const edits = shortestEdit(a.slice(start, endA), b.slice(start, endB)) ?? n + m;
  return { added: (edits + m - n) / 2, removed: (edits + n - m) / 2 };
}

/** Length of the shortest edit script, or undefined when it is longer than we care to find out. */
function shortestEdit(a: readonly string[], b: readonly string[]): number | undefined {
  const [n, m] = [a.length, b.length];
  if (n === 0 || m === 0) return n + m;
  const bound = Math.min(n + m, differencesMax);
  const furthest = new Int32Array(2 * bound + 3);
  const middle = bound + 1;
  for (let edits = 0; edits <= bound; edits += 1) {
    for (let k = -edits; k <= edits; k += 2) {
      const left = furthest[middle + k - 1] ?? 0;
      const right = furthest[middle + k + 1] ?? 0;
      let x = k === -edits || (k !== edits && left < right) ? right : left + 1;
      while (x < n && x - k < m && x - k >= 0 && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= n && x - k >= m) return edits;
    }
  }
  return undefined;
}
