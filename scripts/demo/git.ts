// Runs git for the demo. Accepts output of any length. If git fails, reports git's own message.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Returns git's output without the last newline. Each character stands for one byte, because names need not be UTF-8.
 */
export async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', root, ...args], {
    encoding: 'latin1',
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return stdout.replace(/\n$/, '');
}
