// Runs the protocol's conformance scripts (protocol/conformance) against any program. Sends raw bytes, and checks
// frames and exit codes. With --trace, only lists the rules of the reference that have no case.
//
// node dist/scripts/conformance.js [--only TEXT] [--lanes N] [--faults] [--trace | --write-traces] -- COMMAND…
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.ts';
import { readCases } from './conformance/conformance-case.ts';
import { runCases } from './conformance/run-cases.ts';
import { traceProblems, traces } from './conformance/traces.ts';
import type { ProtocolDocument } from './generate/dialect.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const help = `
node dist/scripts/conformance.js [--only TEXT] [--lanes 3] [--faults] [--trace] -- COMMAND [ARGUMENT…]
node dist/scripts/conformance.js --write-traces

Runs every case of protocol/conformance against a program that speaks the protocol.
  --only TEXT     run only cases with this text in their name
  --faults        also run cases that need a fault; the command must accept --fault=NAME
  --trace         print which cases show each rule of the reference`;

const { values: flags, positionals: command } = commandLine(help, {
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '3' },
    faults: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    'write-traces': { type: 'boolean', default: false },
  },
});

const cases = readCases(join(root, 'protocol/conformance'));
const document = JSON.parse(readFileSync(join(root, 'protocol/protocol.json'), 'utf8')) as ProtocolDocument;
const problems = traceProblems(document, cases);
for (const problem of problems) console.error(problem);
if (flags['write-traces']) {
  const table = JSON.stringify(traces(document, cases), undefined, 2);
  writeFileSync(join(root, 'protocol/conformance/traces.json'), `${table}\n`);
}
if (flags.trace || flags['write-traces']) process.exit(problems.length === 0 ? 0 : 1);
if (command.length === 0) {
  console.error(
    'usage: conformance.js [--only TEXT] [--lanes N] [--faults] [--trace | --write-traces] -- COMMAND…',
  );
  process.exit(2);
}

const wanted = cases.filter(({ name }) => name.includes(flags.only));
const { passed, failures, skipped } = await runCases(wanted, command, {
  lanes: Number(flags.lanes),
  faults: flags.faults,
});
for (const { name, what } of failures) console.log(`FAILED  ${name}\n      ${what}`);
for (const name of skipped) console.log(`skipped: ${name} (needs --faults)`);
console.log(`${passed} passed, ${failures.length + problems.length} failed, ${skipped.length} skipped`);
process.exit(failures.length + problems.length === 0 ? 0 : 1);
