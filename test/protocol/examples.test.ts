// Executes every example of protocol.json with real daemons, and makes the faults that some examples need.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allExamples, hasFault, runExamples } from './example-runner.ts';

test('on a real daemon, every example of the protocol gives the documented result', async () => {
  const examples = allExamples();
  assert.ok(examples.length > 320, `${examples.length} examples`);
  const startedMs = performance.now();
  // Examples with a fault spend most of their time waiting for a lock, for git or for a slow file. Therefore these
  // examples run at the same time as the other examples.
  const [faulty, sound] = [true, false].map((has) => examples.filter((each) => hasFault(each) === has));
  const failures = (await Promise.all([runExamples(sound ?? [], 3), runExamples(faulty ?? [], 3)])).flat();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`note: ${examples.length} examples in ${seconds} s`);
  assert.is(failures.join('\n'), '');
});

test.run();
