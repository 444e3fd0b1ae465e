// Plays a day with the daemon on a throw-away clone of a real repository: `npm start [-- path] [-- --verbose]`. Clones
// the repository at the given path (the default is this repository), and never touches the original. Prints the steps
// in a form for people. With --verbose, also prints every frame.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { day } from './demo/day.ts';
import { Screen } from './demo/screen.ts';
import { clone, sourceAt, WrongPath } from './demo/source.ts';
import { tap } from './demo/tap.ts';

const help = `npm start [-- path/to/repo] [-- --verbose]

Demonstrates the daemon on a temporary clone of the repository at the path.
`;
const exitUsage = 2;

function complain(words: string): never {
  process.stderr.write(`npm start: ${words}\n`);
  process.exit(exitUsage);
}

function read(): { path: string; isVerbose: boolean } {
  const options = {
    verbose: { type: 'boolean', short: 'v', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    if (positionals.length > 1) complain('give the path of one repository.');
    const own = fileURLToPath(new URL('../../', import.meta.url));
    return { path: positionals[0] ?? own, isVerbose: values.verbose };
  } catch (error) {
    // If a flag is wrong, parseArgs throws an error whose message contains the flag.
    if (error instanceof TypeError && 'code' in error) complain(error.message.split('\n')[0] ?? '');
    throw error;
  }
}

async function main(): Promise<number> {
  const { path, isVerbose } = read();
  const source = await sourceAt(path);
  const scratch = mkdtempSync(join(tmpdir(), 'checkpointd-demo-'));
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const)
    process.on(signal, () => process.exit(128 + number));
  const screen = new Screen();
  const root = join(scratch, basename(source) || 'repository');
  screen.step(`A throw-away clone of ${source}`);
  await clone(source, root, screen.progress);
  await day({
    root,
    storage: join(scratch, 'storage'),
    screen,
    ...(isVerbose ? { command: [process.execPath, fileURLToPath(import.meta.url), '--tap'] } : {}),
  });
  const words = screen.failures === 0 ? 'Everything held.' : `${screen.failures} check(s) failed.`;
  console.log(`\n${words}`);
  return screen.failures === 0 ? 0 : 1;
}

if (process.argv[2] === '--tap') {
  tap();
} else {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (error instanceof WrongPath) complain(error.message);
    throw error;
  }
}
