import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inCommands } from '../../src/cli/in-commands.ts';

test('the messages of the command line mention commands that the user can type, not methods of the protocol', () => {
  const message =
    'Run store/verify, use `checkpoint/list`, then checkpoint/init; session/open stays, and src/main too.';
  assert.equal(
    [inCommands(message), inCommands(message, 'console'), inCommands(message, 'tools')],
    [
      'Run "checkpointd verify", use "checkpointd list", then "/checkpoint init" in "checkpointd console"; session/open stays, and src/main too.',
      'Run "checkpointd verify", use /checkpoint list, then /checkpoint init; session/open stays, and src/main too.',
      'Run store/verify, use checkpoint_list, then checkpoint/init; session/open stays, and src/main too.',
    ],
  );
});

test('advice for a person or a model does not name options that only the protocol has', () => {
  const message =
    'None is left. checkpoint/list lists the checkpoints. With kind "safety", it lists the states before the restores.';
  assert.is(inCommands(message), 'None is left. "checkpointd list" lists the checkpoints.');
  assert.is(inCommands(message, 'console'), 'None is left. /checkpoint list lists the checkpoints.');
});

test('a path in a message stays unchanged even if its end looks like a method of the protocol', () => {
  for (const path of ['/home/me/checkpoint/list is gone', 'a/store/gc.ts', 'checkpoint/list/more'])
    assert.is(inCommands(path), path);
});

test.run();
