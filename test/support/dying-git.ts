// A git that crashes on purpose. A script that is first on PATH runs the real git, and crashes as soon as an argument
// or the input contains a chosen word.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Runs `body` with a git that may end with a segmentation fault. This git crashes if two conditions are met: one of its
 * arguments is `command`, and its arguments or its input contain `word`. Writes the script into the empty `directory`.
 */
export async function withDyingGit(
  {
    directory,
    command,
    word,
  }: { readonly directory: string; readonly command: string; readonly word: string },
  body: () => Promise<void>,
): Promise<void> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(directory);
  const program = join(directory, 'git');
  const script = `#!${process.execPath}
const { spawn } = require('node:child_process');
const args = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGSEGV');
const mayDie = args.includes(${JSON.stringify(command)});
if (mayDie && args.some((arg) => arg.includes(${JSON.stringify(word)}))) die();
const git = spawn(${JSON.stringify(real)}, args, { stdio: ['pipe', 'inherit', 'inherit'] });
process.stdin.on('data', (asked) => (mayDie && asked.includes(${JSON.stringify(word)}) ? die() : git.stdin.write(asked)));
process.stdin.on('end', () => git.stdin.end());
git.stdin.on('error', () => undefined);
git.on('exit', (code) => process.exit(code ?? 1));
`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${directory}${delimiter}${path}`;
  try {
    await body();
  } finally {
    process.env.PATH = path;
  }
}
