// Adds hooks to the text of a settings file, or removes hooks from the text. Returns the change without writing it, so
// that the caller can first show it to the user. This module does not use the disk.
import { isObject } from '../../base/json.ts';

/** One of several replacements in a text. The offset refers to the text after all earlier replacements. */
export interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

/**
 * The new text of a file, or in `left` the reason why the file stays unchanged. When `text` is undefined, the file is
 * removed.
 */
export type Change =
  | { readonly text: string | undefined; readonly edits?: readonly Edit[] | undefined }
  | { readonly left: string };

export interface Settings {
  readonly file: string;
  /** Returns the text with our hooks. If the text already has our hooks, returns the unchanged text. */
  readonly add: (text: string | undefined) => Change;
  /** Returns the text without our hooks. Keeps all other parts of the text. */
  readonly remove: (text: string) => Change;
  /** The agent's events that run the hook. Absent when the settings file does not list events. */
  readonly events?: readonly string[];
  /** An additional step that the user has to take. Absent when no step is needed. */
  readonly hint?: string | undefined;
}

const byteOrderMark = '\uFEFF';

/** Wraps settings so that edits keep a byte order mark at the beginning of the text. */
export function keepingMark(settings: Settings): Settings {
  return {
    ...settings,
    add: (text) =>
      text?.startsWith(byteOrderMark) === true
        ? behindMark(settings.add(text.slice(byteOrderMark.length)))
        : settings.add(text),
    remove: (text) =>
      text.startsWith(byteOrderMark)
        ? behindMark(settings.remove(text.slice(byteOrderMark.length)))
        : settings.remove(text),
  };
}

function behindMark(change: Change): Change {
  if (!('text' in change) || change.text === undefined) return change;
  const edits = change.edits?.map((edit) => ({ ...edit, offset: edit.offset + byteOrderMark.length }));
  return { text: `${byteOrderMark}${change.text}`, edits };
}

/** Returns `line 3, column 5` for an offset. Lines and columns count from 1. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

export function applied(text: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (now, { offset, length, content }) => now.slice(0, offset) + content + now.slice(offset + length),
    text,
  );
}

/** Returns the edits that reverse `edits` and thereby restore `text`. */
export function inverse(text: string, edits: readonly Edit[]): Edit[] {
  const back: Edit[] = [];
  let now = text;
  for (const edit of edits) {
    const { offset, length, content } = edit;
    back.unshift({ offset, length: content.length, content: now.slice(offset, offset + length) });
    now = applied(now, [edit]);
  }
  return back;
}

/** True when a handler runs our hook for this agent, from any installation of checkpointd. */
export function isOurs(agent: string, handler: unknown): boolean {
  if (!isObject(handler)) return false;
  const { command, bash } = handler;
  const text = typeof command === 'string' ? command : bash;
  return typeof text === 'string' && new RegExp(`(checkpointd|main\\.c?js)['"]? hook ${agent}\\b`).test(text);
}
