// Runs one conformance script for each rule of the reference, and all scripts about wrong envelopes (F106). Checks the
// table of rules and cases. conformance.long.ts runs all scripts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConformanceCase, readCases } from '../../scripts/conformance/conformance-case.ts';
import { runCases } from '../../scripts/conformance/run-cases.ts';
import { traceProblems, traces } from '../../scripts/conformance/traces.ts';
import { testProgram } from '../support/wire-client.ts';
import { protocol, readJson, root } from './document.ts';

const cases = readCases(`${root}protocol/conformance`);
const command = [process.execPath, testProgram('faulty-daemon')];

test('every rule of the reference has a conformance case', () => {
  assert.is(traceProblems(protocol, cases).join('\n'), '');
  assert.ok(cases.length >= 120, `${cases.length} cases`);
});

test('the committed table of traces matches the conformance cases (conformance.js --write-traces updates it)', () => {
  assert.equal(readJson('protocol/conformance/traces.json'), traces(protocol, cases));
});

/** Skips a case if earlier cases already test all its rules. Never skips a case of a wrong envelope. */
function oneForEachRule(): ConformanceCase[] {
  const shown = new Set<string>();
  return cases.filter(({ name, rules }) => {
    const isWanted = name.startsWith('F106 ') || rules.some((rule) => !shown.has(rule));
    for (const rule of rules) shown.add(rule);
    return isWanted;
  });
}

test('every rule has a conformance case that the daemon passes', async () => {
  const startedMs = performance.now();
  const { passed, failures } = await runCases(oneForEachRule(), command, { lanes: 3, faults: true });
  console.log(`note: ${passed} cases in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  assert.is(failures.map(({ name, what }) => `${name}\n    ${what}`).join('\n'), '');
});

test.run();
