import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { completion } from '../../src/cli/completion.ts';

test('bash completes the names of commands', () => {
  const script = `${completion('bash', ['list', 'restore', 'redo']) ?? ''}\ncomplete -p checkpointd; compgen -W 'list restore redo' re`;
  const { stdout, status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  assert.match(stdout, /-W 'list restore redo' checkpointd\nrestore\nredo/);
});

test('a shell that is not known has no script', () => assert.is(completion('csh', []), undefined));

test.run();
