// Executes every example of protocol.json with real daemons. examples.test.ts executes one example of each kind.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allExamples, runExamples } from './example-runner.ts';

test('on a real daemon, every example of the protocol gives the documented result', async () => {
  const examples = allExamples();
  assert.ok(examples.length > 320, `${examples.length} examples`);
  const failures = await runExamples(examples, 3);
  assert.is(failures.join('\n'), '');
});

test.run();
