// For a mistyped word, finds the known words that the user may have meant.

/** Returns at most three similar words, the most similar word first. */
export function nearest(word: string, words: readonly string[]): string[] {
  const reach = reachOf(word.length);
  return [...new Set(words)]
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= reach || (word !== '' && candidate.startsWith(word)))
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Returns the tags and names that are similar to words that are not checkpoints. */
export function nearestReferences(
  words: readonly string[],
  checkpoints: readonly { readonly tag?: string | undefined; readonly name?: string | undefined }[],
): string[] {
  const known = checkpoints.flatMap(({ tag, name }) => [tag, name].filter((word) => word !== undefined));
  return words.flatMap((word) => (known.includes(word) ? [] : nearest(word, known)));
}

/** Returns how many letters of a word may differ: a third of its letters, but at least one and less than half. */
function reachOf(length: number): number {
  return length === 0 ? 1 : Math.min(Math.max(1, Math.floor(length / 3)), Math.ceil(length / 2) - 1);
}

/** Returns the number of letters to insert, remove or replace to turn one word into the other word. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 0; line < from.length; line += 1) {
    const letter = from[line];
    const next = [line + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
