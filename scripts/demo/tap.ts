// With `--verbose`, this program runs between client and daemon. This program forwards all bytes, and prints every
// frame to stderr.
import { spawn } from 'node:child_process';
import { programFile } from '../../src/wire/places.ts';

/** Runs until the daemon ends, and then ends with the daemon's exit code. */
export function tap(): void {
  const daemon = programFile();
  const child = spawn(process.execPath, [daemon], { stdio: ['pipe', 'pipe', 'inherit'] });
  const show = (arrow: string) => (chunk: Buffer) =>
    process.stderr.write(`${arrow} ${chunk.toString('utf8').replaceAll('\r\n', '⏎')}\n`);
  process.stdin.on('data', show('→'));
  child.stdout.on('data', show('←'));
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  child.on('exit', (code) => process.exit(code ?? 1));
}
