// A word on a command line may name a checkpoint or a path. A command asks the daemon whether a word is a checkpoint or
// a path. The tests check these requests.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Task } from '../../src/cli/command.ts';
import { diff } from '../../src/cli/commands/diff.ts';
import { sortedWords } from '../../src/cli/sorted-words.ts';
import { TreePaths } from '../../src/cli/tree-paths.ts';

test('a command with a checkpoint, but without a path, does not list the files of the checkpoint', async () => {
  const asked: string[] = [];
  const ask = async (method: string): Promise<object> => {
    asked.push(method);
    return {};
  };
  const task: Task = {
    ask: ask as Task['ask'],
    client: { on: () => () => undefined },
    given: { path: '.', json: false, pager: false, paths: [] },
    session: 'ses_0',
    paths: new TreePaths(process.cwd(), process.cwd()),
    options: {},
    words: ['2'],
  };
  assert.equal(await sortedWords(task, diff), { tags: ['2'], only: {} });
  assert.equal(asked, ['checkpoint/get']);
});

test.run();
