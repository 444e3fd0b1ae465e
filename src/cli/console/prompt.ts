// Reads the input lines of the console, with history and completion. Shows lists, from which the user chooses with the
// arrow keys. Without a terminal, the console reads lines from its input and asks no questions.
import { createInterface, type Interface } from 'node:readline';
import { isYes } from '../confirm.ts';
import { fit } from '../terminal.ts';
import type { Choice } from './desk.ts';

type Key = { readonly name?: string; readonly ctrl?: boolean } | undefined;
type Completer = (line: string) => Promise<[string[], string]>;

const markWidth = 2;

export class Prompt {
  readonly #complete: Completer;
  readonly #lines: string[] = [];
  #history: string[] = [];
  #interface: Interface;
  #wake: () => void = () => undefined;
  #isOver = false;
  #isAway = false;

  /** Ctrl and the letter `tangentKey` run /tangent. */
  constructor(complete: Completer, tangentKey: string | undefined) {
    this.#complete = complete;
    this.#interface = this.#open();
    if (process.stdin.isTTY && tangentKey !== undefined)
      process.stdin.on('keypress', (_: string, key: Key) => {
        if (key?.ctrl !== true || key.name !== tangentKey) return;
        this.#lines.push('/tangent');
        this.#wake();
      });
  }

  /** Returns the next line. Returns undefined at the end of the input and after Ctrl-C. */
  async read(question: string): Promise<string | undefined> {
    // Creates the reader just before a question. After a choice from a list, the list releases the terminal. A reader
    // that was created earlier would then get no more input.
    if (this.#isAway) this.#interface = this.#open();
    this.#isAway = false;
    if (process.stdin.isTTY) process.stdin.resume();
    this.#interface.setPrompt(question);
    // Shows the prompt only if no typed lines are waiting, because lines that the user typed ahead are already on the
    // screen.
    if (process.stdin.isTTY && this.#lines.length === 0) this.#interface.prompt();
    while (this.#lines.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#lines.shift();
  }

  /** Prints a message while the user types, and shows the input line again. */
  beside(line: string): void {
    const isTyping = process.stdin.isTTY && process.stdout.isTTY && !this.#isAway;
    process.stdout.write(isTyping ? `\r\u001b[K${line}\n` : `${line}\n`);
    if (isTyping) this.#interface.prompt(true);
  }

  /** Asks a yes-or-no question. Returns undefined without a terminal. Every answer except a clear yes counts as no. */
  async confirm(question: string): Promise<boolean | undefined> {
    if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
    return isYes((await this.read(`${question} [y/N] `)) ?? '');
  }

  /** Lets the user choose from a list. Returns undefined when there is no terminal or the user chooses nothing. */
  async pick<T>(message: string, choices: readonly Choice<T>[], preferred?: T): Promise<T | undefined> {
    if (!process.stdin.isTTY || !process.stdout.isTTY || choices.length === 0) return undefined;
    const { default: select } = await import('@inquirer/select');
    // Closes the reader, because two readers of one terminal would share the pressed keys.
    this.#leave();
    const left = new AbortController();
    const onKey = (_: string, key: Key): void => {
      if (key?.name === 'escape') left.abort();
    };
    process.stdin.on('keypress', onKey);
    try {
      return await select(
        {
          message,
          choices: choices.map(({ name, value }) => ({ name: fit(name, markWidth), value })),
          ...(preferred === undefined ? {} : { default: preferred }),
          pageSize: Math.max(3, Math.min(15, (process.stdout.rows ?? 24) - 4)),
          loop: false,
        },
        { signal: left.signal },
      );
    } catch (error) {
      // The user pressed Ctrl-C or Escape and chose nothing.
      if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name))
        return undefined;
      throw error;
    } finally {
      process.stdin.off('keypress', onKey);
    }
  }

  close(): void {
    this.#leave();
  }

  #open(): Interface {
    const opened = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: process.stdin.isTTY && process.stdout.isTTY,
      history: this.#history,
      historySize: 500,
      removeHistoryDuplicates: true,
      completer: (line: string, callback: (error: Error | null, found: [string[], string]) => void) => {
        // The user may have pressed more keys meanwhile (a second Tab, Enter). Inserts a completion only into the word
        // for which it was computed.
        const answered = (found: [string[], string]): void =>
          callback(null, opened.line.slice(0, opened.cursor) === line ? found : [[], line]);
        // If the daemon has ended, there are no completions.
        this.#complete(line).then(answered, () => answered([[], line]));
      },
    });
    opened.on('history', (history) => (this.#history = history));
    opened.on('line', (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    // Ctrl-C clears the line, and ends the console when the line is empty.
    opened.on('SIGINT', () => {
      if (opened.line === '') return opened.close();
      opened.write(null, { ctrl: true, name: 'e' });
      opened.write(null, { ctrl: true, name: 'u' });
    });
    opened.on('close', () => {
      if (this.#isAway) return;
      this.#isOver = true;
      this.#wake();
    });
    return opened;
  }

  /** Closes the reader. The console continues. */
  #leave(): void {
    this.#isAway = true;
    this.#interface.close();
  }
}
