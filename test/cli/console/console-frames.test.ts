// Compares the pictures of the console in src/COMMANDS.md with a real terminal.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const script = fileURLToPath(new URL('../../../scripts/record-frames.js', import.meta.url));

test('the pictures of the console in src/COMMANDS.md match a real terminal', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  assert.is(status, 0, `${stdout}${stderr}`);
  if (stdout !== '') console.log(stdout.trim());
});

test.run();
