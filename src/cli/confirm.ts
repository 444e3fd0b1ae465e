// Asks one yes-or-no question. Every answer except a clear yes counts as no.
import { createInterface } from 'node:readline/promises';
import { CommandRefusal } from './refusal.ts';
import { say } from './terminal.ts';

interface Question {
  readonly text: string;
  /** The verb in the advice about --yes, such as "restores" in "--yes restores without asking". */
  readonly does: string;
  /** The message after the answer "no". The default is "Nothing was changed." */
  readonly left?: string;
}

/** Asks the user for permission before a change. @throws CommandRefusal without a terminal */
export async function agreed(
  { json }: { readonly json: boolean },
  { text, does, left = 'Nothing was changed.' }: Question,
): Promise<boolean> {
  if (json || !process.stdin.isTTY) {
    const remedy = `--yes ${does} without asking. ${left}`;
    throw new CommandRefusal(
      'ConfirmationRequired',
      'no terminal is connected, so the command cannot ask',
      remedy,
      2,
    );
  }
  if (await confirmed(text)) return true;
  say(left);
  return false;
}

export async function confirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  if (answer === undefined) endPrompt();
  lines.close();
  return answer !== undefined && isYes(answer);
}

/** Prints the line end that is missing when the user presses Ctrl-C or Ctrl-D at a question. */
export function endPrompt(): void {
  process.stderr.write('\n');
}

export function isYes(answer: string): boolean {
  return /^\s*y(es)?\s*$/i.test(answer);
}
