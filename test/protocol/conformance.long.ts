// Runs all conformance scripts with the daemon. conformance.test.ts runs only one script for each rule.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCases } from '../../scripts/conformance/conformance-case.ts';
import { runCases } from '../../scripts/conformance/run-cases.ts';
import { testProgram } from '../support/wire-client.ts';
import { root } from './document.ts';

test('the daemon passes every conformance case', async () => {
  const cases = readCases(`${root}protocol/conformance`);
  const command = [process.execPath, testProgram('faulty-daemon')];
  const { passed, failures } = await runCases(cases, command, { lanes: 3, faults: true });
  assert.is(failures.map(({ name, what }) => `${name}\n    ${what}`).join('\n'), '');
  assert.is(passed, cases.length);
});

test.run();
