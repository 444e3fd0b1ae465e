// Runs git for the demo: answers of any length, and git's own message when it fails.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Returns git's answer without the last newline; one character per byte, because names need not be UTF-8. */
export async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', root, ...args], {
    encoding: 'latin1',
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return stdout.replace(/\n$/, '');
}
