// Edits a JSON text, and changes only the requested part. The library formats and removes parts too, but this module
// does not use those functions. The formatter would also change neighbouring parts, and the removal would also delete
// the comments before the removed part.
import { findNodeAtLocation, type JSONPath, modify, type Node, parse, parseTree } from 'jsonc-parser';
import { applied, type Edit } from './settings.ts';

export class JsonDraft {
  readonly edits: Edit[] = [];
  text: string;
  readonly #unit: string;
  readonly #eol: string;

  constructor(text: string) {
    this.text = text;
    this.#unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
    this.#eol = text.includes('\r\n') ? '\r\n' : '\n';
  }

  get value(): unknown {
    return parse(this.text);
  }

  /** Adds a new property, or an item at the end of a list. */
  insert(path: JSONPath, value: unknown): void {
    const [edit] = modify(this.text, path, value, { isArrayInsertion: typeof path.at(-1) === 'number' });
    if (edit === undefined) throw new Error('the edit inserted no text');
    if (edit.length > 0) return this.#apply([edit]); // This edit also inserts the missing parent.
    const indent = this.#eol + this.#unit.repeat(path.length);
    const key = typeof path.at(-1) === 'string' ? `${JSON.stringify(path.at(-1))}: ` : '';
    const made = indent + key + JSON.stringify(value, null, this.#unit).replaceAll('\n', indent);
    if (!edit.content.startsWith(',')) {
      const closing = this.#eol + this.#unit.repeat(path.length - 1);
      return this.#apply([{ offset: edit.offset, length: 0, content: made + closing }]);
    }
    // If a comment follows the preceding value on its line, the comment stays on that line.
    const aside = /^[ \t]*\/\/[^\r\n]*(?=\r?\n)/.exec(this.text.slice(edit.offset))?.[0].length ?? 0;
    if (aside === 0) return this.#apply([{ offset: edit.offset, length: 0, content: `,${made}` }]);
    this.#apply([
      { offset: edit.offset + aside, length: 0, content: made },
      { offset: edit.offset, length: 0, content: ',' },
    ]);
  }

  replace(path: JSONPath, value: unknown): void {
    const node = this.#node(path);
    const indent = this.#eol + this.#unit.repeat(path.length);
    const content = JSON.stringify(value, null, this.#unit).replaceAll('\n', indent);
    this.#apply([{ offset: node.offset, length: node.length, content }]);
  }

  remove(path: JSONPath): void {
    const value = this.#node(path);
    const whole = typeof path.at(-1) === 'number' ? value : (value.parent ?? value);
    const { children = [] } = whole.parent ?? {};
    const at = children.indexOf(whole);
    const before = children[at - 1];
    const end = whole.offset + whole.length;
    if (before !== undefined) {
      const from = before.offset + before.length;
      const between = this.text.slice(from, whole.offset);
      const comma = /^\s*,/.exec(between)?.[0].length;
      const space = /\s*$/.exec(between)?.[0].length ?? 0;
      if (comma === undefined) return this.#apply([{ offset: from, length: end - from, content: '' }]);
      const start = Math.max(whole.offset - space, from + comma);
      return this.#apply([
        { offset: start, length: end - start, content: '' },
        { offset: from, length: comma, content: '' },
      ]);
    }
    const after = children[at + 1];
    const parent = whole.parent ?? whole;
    const inner = parent.offset + 1;
    if (after !== undefined)
      return this.#apply([{ offset: whole.offset, length: after.offset - whole.offset, content: '' }]);
    const rest = this.text.slice(inner, parent.offset + parent.length - 1);
    // Removes the only item together with the space around it, unless the list has comments.
    if (rest.trim() === this.text.slice(whole.offset, end))
      return this.#apply([{ offset: inner, length: rest.length, content: '' }]);
    this.#apply([{ offset: whole.offset, length: whole.length, content: '' }]);
  }

  #node(path: JSONPath): Node {
    const root = parseTree(this.text);
    const node = root === undefined ? undefined : findNodeAtLocation(root, path);
    if (node === undefined) throw new Error(`the settings have no ${path.join('.')}`);
    return node;
  }

  /**
   * Applies edits in the given order. The caller passes edits from the end of the text to its beginning, so that the
   * offsets stay valid.
   */
  #apply(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.edits.push(edit);
      this.text = applied(this.text, [edit]);
    }
  }
}
