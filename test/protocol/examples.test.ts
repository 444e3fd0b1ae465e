// Executes examples of protocol.json with real daemons: one for each result, each kind of error and each fault.
// examples.long.ts executes all examples.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allExamples, oneOfEachKind, runExamples } from './example-runner.ts';

test('on a real daemon, one example of each method, each kind of error and each fault gives the documented result', async () => {
  const examples = oneOfEachKind(allExamples());
  assert.ok(examples.length > 120, `${examples.length} examples`);
  const failures = await runExamples(examples, 2);
  assert.is(failures.join('\n'), '');
});

test.run();
