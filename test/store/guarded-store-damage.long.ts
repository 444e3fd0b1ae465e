// Tests damage on every strategy: a flipped bit in a file of the daemon, or a truncated file. The process must not end,
// and no error must be an InternalError. Each trial damages a new copy of a session and then uses the session in every
// way. SEED=… repeats a run. TRIALS=… sets the number of trials for all strategies together (210).
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { seed } from '../support/property.ts';

const program = fileURLToPath(new URL('../support/programs/damage-trials.js', import.meta.url));
const names = Object.keys(strategies);
const trials = Math.ceil(Number(process.env['TRIALS'] ?? 210) / names.length);

interface Line {
  readonly begins?: number;
  readonly trial?: number;
  readonly damaged?: string;
  readonly broken?: readonly string[];
}

/**
 * In a separate process, runs the trials that start at number `first`. Returns the lines that the process printed, and
 * how the process ended.
 */
function run(strategy: string, first: number): Promise<{ lines: Line[]; end: number | string | null }> {
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', program, strategy, `${seed}`, `${first}`, `${trials - first}`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      const whole = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
      resolve({ lines: whole.map((line) => JSON.parse(line) as Line), end: code ?? signal });
    }),
  );
}

test(`after random damage to a file, the daemon gives only expected answers (${trials} trials, seed ${seed})`, async () => {
  const wrong: string[] = [];
  await Promise.all(
    names.map(async (strategy) => {
      for (let first = 0; first < trials; ) {
        const { lines, end } = await run(strategy, first);
        for (const { trial, damaged, broken } of lines)
          for (const what of broken ?? [])
            wrong.push(`${strategy} ${trial ?? '?'}: ${damaged ?? ''}: ${what}`);
        const last = lines.findLast(({ begins }) => begins !== undefined);
        const isDone = lines.at(-1)?.trial === trials - 1;
        if (!isDone) wrong.push(`${strategy}: the process ended (${end}) at ${JSON.stringify(last)}`);
        first = isDone ? trials : (last?.begins ?? trials) + 1;
      }
    }),
  );
  assert.equal(wrong, []);
});

test.run();
