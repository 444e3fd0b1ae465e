// The conformance scripts against the daemon, and the table that traces every rule of the reference to a case.
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCases } from '../../scripts/conformance/conformance-case.ts';
import { runCase } from '../../scripts/conformance/run-case.ts';
import { runCases } from '../../scripts/conformance/run-cases.ts';
import { traceProblems, traces } from '../../scripts/conformance/traces.ts';
import { testProgram } from '../support/wire-client.ts';
import { protocol, readJson, root } from './document.ts';

const cases = readCases(`${root}protocol/conformance`);
const command = [process.execPath, testProgram('faulty-daemon')];

test('every rule of the reference is shown by a case', () => {
  assert.is(traceProblems(protocol, cases).join('\n'), '');
  assert.ok(cases.length >= 120, `${cases.length} cases`);
});

test('a rule without a case, a case without a rule and a name that stands twice are found', () => {
  const without = cases.filter(({ rules }) => !rules.includes('M41'));
  assert.equal(traceProblems(protocol, without), ['M41 is shown by no case']);
  const [first, ...rest] = cases;
  if (first === undefined) throw new Error('no cases');
  assert.is(traceProblems(protocol, [first, ...rest, { ...first, rules: ['M99'] }]).length, 2);
});

test('the committed table is that of the cases (conformance.js --write-traces makes it)', () => {
  assert.equal(readJson('protocol/conformance/traces.json'), traces(protocol, cases));
});

test('a program that answers wrongly fails', async () => {
  const bare = [
    process.execPath,
    fileURLToPath(new URL('../support/programs/bare-echo.js', import.meta.url)),
  ];
  const wanted = cases.filter(({ name }) =>
    [
      'what initialize answers',
      'F106 a batch of one',
      'exit without shutdown',
      '--stdio is the same',
    ].includes(name),
  );
  assert.is(wanted.length, 4);
  for (const one of wanted) assert.type(await runCase(one, bare, 1000), 'string', one.name);
});

test('the daemon conforms', async () => {
  const startedMs = performance.now();
  const { passed, failures } = await runCases(cases, command, { lanes: 3, faults: true });
  console.log(`note: ${passed} cases in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  assert.is(failures.map(({ name, what }) => `${name}\n    ${what}`).join('\n'), '');
});

test.run();
