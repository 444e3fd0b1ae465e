// Writes numbers with their nouns in texts for people.

/** Returns `1 path` or `3 paths`. `many` is the plural of an irregular noun. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
