// What a word of the console has at hand: the daemon, a place to speak, and somebody to choose.
import type { Ask } from '../command.ts';

export interface Desk {
  readonly ask: Ask;
  readonly say: (line: string) => void;
  /** Lets a person choose one of several; undefined: none, or nobody is there to choose. */
  readonly pick: <T>(message: string, choices: readonly Choice<T>[], preferred?: T) => Promise<T | undefined>;
}

/** One line of a list to choose from. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

export type Word = (desk: Desk, rest: readonly string[]) => Promise<void>;

/** How a word is used; the console says it. */
export class Usage extends Error {}

/** The value behind an option such as `-l`, and the words without both. */
export function option(
  words: readonly string[],
  names: readonly string[],
): { readonly value: string | undefined; readonly rest: readonly string[] } {
  const at = words.findIndex((word) => names.includes(word));
  if (at === -1) return { value: undefined, rest: words };
  return { value: words[at + 1] ?? '', rest: [...words.slice(0, at), ...words.slice(at + 2)] };
}
