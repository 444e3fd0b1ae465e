// Every example of protocol.json that needs no fault, executed against real daemons.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allExamples, faultsOf, runExamples } from './example-runner.ts';

test('every example is executed against a real daemon and comes out as the document says', async () => {
  const examples = allExamples().filter(({ example }) => faultsOf(example).length === 0);
  assert.ok(examples.length > 250, `${examples.length} examples`);
  const startedMs = performance.now();
  const failures = await runExamples(examples, 3);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`note: ${examples.length} examples in ${seconds} s`);
  assert.is(failures.join('\n'), '');
});

test('every example that needs a fault is told by name', () => {
  const waiting = allExamples().filter(({ example }) => faultsOf(example).length > 0);
  for (const { title, example } of waiting)
    console.log(`skipped: ${title} (nobody makes the fault ${faultsOf(example).join(', ')} yet)`);
  assert.ok(waiting.length <= 61, 'more examples than before are not executed');
});

test.run();
