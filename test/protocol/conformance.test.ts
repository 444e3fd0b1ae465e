// The conformance scripts against the daemon, and the table that traces every rule of the reference to a case.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCases } from '../../scripts/conformance/conformance-case.ts';
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

test('the committed table is that of the cases (conformance.js --write-traces makes it)', () => {
  assert.equal(readJson('protocol/conformance/traces.json'), traces(protocol, cases));
});

test('the daemon conforms', async () => {
  const startedMs = performance.now();
  const { passed, failures } = await runCases(cases, command, { lanes: 3, faults: true });
  console.log(`note: ${passed} cases in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  assert.is(failures.map(({ name, what }) => `${name}\n    ${what}`).join('\n'), '');
});

test.run();
