// Prints the steps, lines and checks of the demo, and its progress. On a terminal, the progress is one line that
// changes. If the output is not a terminal, prints a new line every few seconds.

const betweenMs = process.stdout.isTTY ? 100 : 2000;

export class Screen {
  #failures = 0;
  #progressWidth = 0;
  #lastMs = performance.now();

  /** The number of failed checks. */
  get failures(): number {
    return this.#failures;
  }

  step(text: string): void {
    this.#clear();
    console.log(`\n${process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text}`);
    this.#lastMs = performance.now();
  }

  say(text: string): void {
    this.#clear();
    console.log(`  ${text}`);
  }

  check(what: string, isTrue: boolean): void {
    this.say(`${isTrue ? '✓' : '✗'} ${what}`);
    if (!isTrue) this.#failures += 1;
  }

  /** Shows the progress of long work. Most calls print nothing. */
  readonly progress = (text: string): void => {
    const now = performance.now();
    if (text === '' || now - this.#lastMs < betweenMs) return;
    this.#lastMs = now;
    if (!process.stdout.isTTY) {
      console.log(`  … ${text}`);
      return;
    }
    const line = `  … ${text}`.slice(0, process.stdout.columns - 1);
    process.stdout.write(`\r${line.padEnd(this.#progressWidth)}`);
    this.#progressWidth = line.length;
  };

  #clear(): void {
    if (this.#progressWidth > 0) process.stdout.write(`\r${' '.repeat(this.#progressWidth)}\r`);
    this.#progressWidth = 0;
  }
}
