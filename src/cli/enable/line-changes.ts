// What would change in a text, line by line, for people to look at before it is written.

/** `+ added` and `- removed` lines, with a line of context around each change. */
export function lineChanges(before: string, after: string): string[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  // How long the longest common part of the two rests is: small texts, so the table is small.
  const common = Array.from({ length: from.length + 1 }, () => Array<number>(to.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i -= 1)
    for (let j = to.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const all: string[] = [];
  for (let i = 0, j = 0; i < from.length || j < to.length; ) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      all.push(`  ${from[i]}`);
      i += 1;
      j += 1;
    } else if (j >= to.length || (i < from.length && at(i + 1, j) >= at(i, j + 1)))
      all.push(`- ${from[i++]}`);
    else all.push(`+ ${to[j++]}`);
  }
  const isChange = (line: string | undefined): boolean => line !== undefined && !line.startsWith('  ');
  return all.filter((line, i) => isChange(line) || isChange(all[i - 1]) || isChange(all[i + 1]));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
