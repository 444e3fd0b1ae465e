// Defines what a console command can use: requests to the daemon, an output, and questions to the user.
import type { Ask } from '../command.ts';

export interface Desk {
  readonly ask: Ask;
  /** Prints a message in full, even if it is longer than the width of the terminal. */
  readonly say: (line: string) => void;
  /** Prints one line of a list. Cuts the line at the width of the terminal. */
  readonly row: (line: string) => void;
  /** Asks a yes-or-no question. Returns undefined without a terminal. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
  /** Lets the user choose from a list. Returns undefined when the user chooses nothing or there is no terminal. */
  readonly pick: <T>(message: string, choices: readonly Choice<T>[], preferred?: T) => Promise<T | undefined>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

export type Word = (desk: Desk, rest: readonly string[]) => Promise<void>;

/** An error with the usage of a console command. The console prints the usage. */
export class Usage extends Error {}

/** Returns the value of an option (`-l 3`, `-l3`, `--limit 3`, `--limit=3`), and the remaining words. */
export function option(
  words: readonly string[],
  names: readonly string[],
): { readonly value: string | undefined; readonly rest: readonly string[] } {
  for (const [at, word] of words.entries()) {
    const [before, after] = [words.slice(0, at), words.slice(at + 1)];
    if (names.includes(word)) return { value: after[0] ?? '', rest: [...before, ...after.slice(1)] };
    const name = names.find((each) => word.startsWith(each.length > 2 ? `${each}=` : each));
    if (name !== undefined)
      return { value: word.slice(name.length).replace(/^=/, ''), rest: [...before, ...after] };
  }
  return { value: undefined, rest: words };
}
