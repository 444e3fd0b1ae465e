// Runs random work with real daemons. Kills daemons, makes system calls fail, lets daemons race, and simulates power
// cuts. The checker of the results shares no code with the daemons.
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from './command-line.ts';
import { type ClientName, clientNames, isClientName } from './torture/clients/bridges.ts';
import { Tally } from './torture/tally.ts';
import { type Finding, run, torture } from './torture/torture.ts';

const help = `
npm run torture -- [--seed N] [--minutes 5] [--strategy shadow,local,sqlite] [--power 25] [--patience 10000]
                    [--client own,python,pythonSync,rust]
npm run torture -- --replay FILE [--times 3]

Runs random work with real daemons. Kills them, makes system calls fail, edits files at the same time, and cuts the
power. Reduces and saves each failing run.
  --power     percent of the episodes that end in a power cut (needs root; uses a small disk image)
  --patience  milliseconds after which a missing answer is a defect
  --client    the clients that drive the daemons; a client that is not installed is replaced by the test's own`;

const { values } = commandLine(help, {
  options: {
    seed: { type: 'string', default: String(Date.now() & 0x7fffffff) },
    minutes: { type: 'string', default: '5' },
    strategy: { type: 'string', default: 'shadow,local,sqlite' },
    power: { type: 'string', default: '25' },
    patience: { type: 'string', default: '10000' },
    client: { type: 'string', default: clientNames.join(',') },
    replay: { type: 'string' },
    times: { type: 'string', default: '3' },
  },
});

if (values.replay !== undefined) await replay(values.replay, Number(values.times));
else await search(Number(values.seed));

async function search(seed: number): Promise<void> {
  console.log(`seed ${seed}, ${values.minutes} min, ${values.strategy}`);
  const { tally, finding } = await torture({
    seed,
    ms: Number(values.minutes) * 60_000,
    strategies: values.strategy.split(','),
    patienceMs: Number(values.patience),
    power: Number(values.power),
    clients: clientsNamed(values.client),
    shrinkTries: 40,
    say: (line) => console.log(line),
  });
  console.log(`\n${tally.describe()}\nseed ${seed}`);
  if (finding === undefined) return;
  const file = join(tmpdir(), `checkpointd-torture-${seed}.json`);
  writeFileSync(file, `${JSON.stringify(finding, null, 1)}\n`);
  console.log(
    `\nFOUND: ${finding.defect}\n\n${finding.steps.map((step) => JSON.stringify(step)).join('\n')}`,
  );
  console.log(`\nreplay: npm run torture -- --replay ${file}`);
  process.exitCode = 1;
}

function clientsNamed(list: string): ClientName[] {
  const names = list.split(',');
  const wrong = names.filter((name) => !isClientName(name));
  if (wrong.length > 0)
    throw new Error(`no such client: ${wrong.join(', ')}; there are ${clientNames.join(', ')}`);
  return names.filter(isClientName);
}

/**
 * A kill hits the program at a different point each time. So a failed episode is replayed several times, until it fails
 * again.
 */
async function replay(file: string, times: number): Promise<void> {
  const { circumstances, steps } = JSON.parse(readFileSync(file, 'utf8')) as Finding;
  for (let i = 1; i <= times; i += 1) {
    const failure = await run(circumstances, steps, new Tally());
    console.log(failure === undefined ? `${i}: no defect` : `${i}: step ${failure.at}: ${failure.defect}`);
    if (failure !== undefined) process.exitCode = 1;
  }
}
