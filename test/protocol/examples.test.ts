// Every example of protocol.json, executed against real daemons; what needs a fault has one made.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allExamples, hasFault, obstacleOf, runExamples } from './example-runner.ts';

/** Examples that cannot be executed; example-faults.ts says why. */
const notExecuted = ['worktree/didDrift: A change that the watcher did not tell'];

test('every example is executed against a real daemon and comes out as the document says', async () => {
  const examples = allExamples().filter((example) => obstacleOf(example) === undefined);
  assert.ok(examples.length > 310, `${examples.length} examples`);
  const startedMs = performance.now();
  // Those with a fault wait most of their time: for a lock, for git, for a file that takes its time.
  const [faulty, sound] = [true, false].map((has) => examples.filter((each) => hasFault(each) === has));
  const failures = (await Promise.all([runExamples(sound ?? [], 3), runExamples(faulty ?? [], 3)])).flat();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`note: ${examples.length} examples in ${seconds} s`);
  assert.is(failures.join('\n'), '');
});

test('what cannot be executed is told by name and reason, and is nothing else', () => {
  const obstacles = allExamples().flatMap((example) => {
    const reason = obstacleOf(example);
    return reason === undefined ? [] : [{ title: example.title, reason }];
  });
  for (const { title, reason } of obstacles) console.log(`skipped: ${title} (${reason})`);
  assert.equal(
    obstacles.map(({ title }) => title),
    notExecuted,
  );
});

test.run();
