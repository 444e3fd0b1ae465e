// A path as git writes it in a text: as it is, or in quotes with escapes where it holds what would forge a line or end
// a quote. Bytes above 127 stay as they are, as with core.quotePath=false, which all our git calls are made with.
import type { TreePath } from '../../tree/tree-path.ts';

const letters: Readonly<Record<string, string>> = {
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\u000b': 'v',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
};

/** The latin1 bytes of a path for a text; `prefix` is git's `a/` or `b/`. */
export function quotedPath(path: TreePath, prefix = ''): string {
  const text = `${prefix}${path}`;
  let escaped = '';
  for (const character of text) escaped += escapeOf(character) ?? character;
  return escaped === text ? text : `"${escaped}"`;
}

function escapeOf(character: string): string | undefined {
  const letter = letters[character];
  if (letter !== undefined) return `\\${letter}`;
  const code = character.charCodeAt(0);
  return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, '0')}` : undefined;
}
