// Runs the Python client's own tests, the shared scenarios and the example of its README. Uses the real daemon and the
// Python of this machine. The checks with mypy are in python.long.ts, because they need the network.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slowNamesCommand } from '../support/wire-client.ts';

const package_ = fileURLToPath(new URL('../../../protocol/clients/python/', import.meta.url));
const command = slowNamesCommand;

function python(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { status: number | null; text: string } {
  const result = spawnSync('python3', args, {
    cwd: package_,
    encoding: 'utf8',
    env: {
      ...process.env,
      PYTHONPATH: package_,
      PYTHONDONTWRITEBYTECODE: '1',
      CHECKPOINTD_COMMAND: JSON.stringify(command),
      ...env,
    },
    timeout: 120_000,
  });
  return { status: result.status, text: `${result.stdout}${result.stderr}` };
}

const version = python(['-c', 'import sys; print(sys.version_info >= (3, 9))']);
if (version.status !== 0 || version.text.trim() !== 'True') {
  console.log(
    `skipped: the Python client, because there is no python3 of 3.9 or later (${version.text.trim()})`,
  );
  test('this test of the Python client needs python3', () => undefined);
} else {
  test('the Python client passes its tests and the shared scenarios', () => {
    const { status, text } = python([
      '-W',
      'error::ResourceWarning',
      '-m',
      'unittest',
      'discover',
      '-v',
      'tests',
    ]);
    assert.is(status, 0, text);
    const ran = Number(/^Ran (\d+) tests/m.exec(text)?.[1]);
    assert.ok(ran > 20, text);
  });

  test('the examples in the README of the Python client work', () => {
    const folder = mkdtempSync(join(tmpdir(), 'checkpointd-python-'));
    try {
      const work = join(folder, 'work');
      assert.is(spawnSync('git', ['init', '-q', work]).status, 0);
      const readme = readFileSync(join(package_, 'README.md'), 'utf8');
      const examples = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code);
      assert.is(examples.length, 2, 'for scripts and for asyncio');
      const bin = join(folder, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'checkpointd'), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
      for (const example of examples) {
        assert.ok(example.trim().split('\n').length <= 18, 'the example is short');
        const { status, text } = python(['-c', example.replace('/path/to/work', work)], {
          PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
          XDG_STATE_HOME: join(folder, 'state'),
        });
        assert.is(status, 0, text);
        assert.match(text, /^made ckpt_/m);
        assert.match(text, /^\[\]$|'restored': \[\]/m);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test.run();
