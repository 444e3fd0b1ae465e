// One question with a yes or a no. Anything but a clear yes is a no.
import { createInterface } from 'node:readline/promises';

export async function confirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  lines.close();
  return isYes(answer);
}

export function isYes(answer: string): boolean {
  return /^\s*y(es)?\s*$/i.test(answer);
}
