// The words of a command that has none of its own (list), where they leave no doubt: read without the library that
// reads all others, since loading it takes longer than the answer. It judges nothing; what it does not understand is
// that library's to read, or to complain of.
import type { Given } from '../command.ts';

const options: Readonly<Record<string, 'path' | 'session' | 'storage'>> = {
  '-C': 'path',
  '--directory': 'path',
  '--session': 'session',
  '--storage': 'storage',
};

/** What the words after the command say; undefined where they need a closer look. `flags`: which it has of --json and --no-pager. */
export function plainWords(words: readonly string[], flags: readonly string[]): Given | undefined {
  const given: { path: string; session?: string; storage?: string } = { path: '.' };
  let [json, pager] = [false, true];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, name = word, joined] = /^(--\w+)=(.*)$/s.exec(word) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option !== undefined) {
      const value = joined ?? words[++at] ?? '';
      if (value === '' || value.startsWith('-')) return undefined;
      given[option] = value;
    } else if (!flags.includes(word)) return undefined;
    else if (word === '--json') json = true;
    else pager = false;
  }
  return { ...given, json, pager, paths: [] };
}
