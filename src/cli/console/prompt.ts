// The line at which a person types: history, completion, and a list to choose from with the arrow keys. Where input is
// no terminal, lines are read as they come and nobody is asked.
import { createInterface, type Interface } from 'node:readline';
import { fit } from '../terminal.ts';
import type { Choice } from './desk.ts';

type Completer = (line: string) => Promise<[string[], string]>;

export class Prompt {
  readonly #complete: Completer;
  readonly #lines: string[] = [];
  #history: string[] = [];
  #interface: Interface;
  #wake: () => void = () => undefined;
  #isOver = false;
  #isAway = false;

  constructor(complete: Completer) {
    this.#complete = complete;
    this.#interface = this.#open();
    // Ctrl-T is /tangent, as in Q CLI.
    if (process.stdin.isTTY)
      process.stdin.on('keypress', (_: string, key?: { readonly name?: string; readonly ctrl?: boolean }) => {
        if (key?.ctrl !== true || key.name !== 't') return;
        this.#lines.push('/tangent');
        this.#wake();
      });
  }

  /** The next line; undefined at the end of the input, and after Ctrl-C. */
  async read(question: string): Promise<string | undefined> {
    // Only now: the list gives the terminal back after it has answered, and would take it from a reader that is there.
    if (this.#isAway) this.#interface = this.#open();
    this.#isAway = false;
    if (process.stdin.isTTY) {
      process.stdin.resume();
      this.#interface.setPrompt(question);
      this.#interface.prompt();
    }
    while (this.#lines.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#lines.shift();
  }

  /** Says something while a person types, and shows the line again. */
  beside(line: string): void {
    const isTyping = process.stdin.isTTY && process.stdout.isTTY && !this.#isAway;
    process.stdout.write(isTyping ? `\r\u001b[K${line}\n` : `${line}\n`);
    if (isTyping) this.#interface.prompt(true);
  }

  /** Lets a person choose; undefined: nobody could, or would. */
  async pick<T>(message: string, choices: readonly Choice<T>[], preferred?: T): Promise<T | undefined> {
    if (!process.stdin.isTTY || !process.stdout.isTTY || choices.length === 0) return undefined;
    const { default: select } = await import('@inquirer/select');
    // Two readers of one terminal would both take the keys.
    this.#leave();
    try {
      return await select({
        message,
        choices: choices.map(({ name, value }) => ({ name: fit(name), value })),
        ...(preferred === undefined ? {} : { default: preferred }),
        pageSize: Math.max(3, Math.min(15, (process.stdout.rows ?? 24) - 4)),
        loop: false,
      });
    } catch (error) {
      // Ctrl-C: nothing was chosen.
      if (error instanceof Error && error.name === 'ExitPromptError') return undefined;
      throw error;
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
      completer: (line: string, tell: (error: Error | null, found: [string[], string]) => void) => {
        // Without a daemon to ask there is nothing to complete.
        this.#complete(line).then(
          (found) => tell(null, found),
          () => tell(null, [[], line]),
        );
      },
    });
    opened.on('history', (history) => (this.#history = history));
    opened.on('line', (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    opened.on('SIGINT', () => opened.close());
    opened.on('close', () => {
      if (this.#isAway) return;
      this.#isOver = true;
      this.#wake();
    });
    return opened;
  }

  /** Closes without ending. */
  #leave(): void {
    this.#isAway = true;
    this.#interface.close();
  }
}
