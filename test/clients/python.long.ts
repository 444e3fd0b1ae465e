// Installs the Python client with pip into a new environment, and checks the client with mypy --strict. pip and mypy
// need PyPI. Without PyPI the tests are skipped with a message.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slowNamesCommand } from '../support/wire-client.ts';

const source = fileURLToPath(new URL('../../../protocol/clients/python/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'checkpointd-pip-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const python = join(folder, 'env', 'bin', 'python');

function run(
  program: string,
  args: readonly string[],
  cwd = folder,
): { status: number | null; text: string } {
  const result = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CHECKPOINTD_COMMAND: JSON.stringify(slowNamesCommand) },
    timeout: 600_000,
  });
  return { status: result.status, text: `${result.stdout}${result.stderr}${result.error?.message ?? ''}` };
}

const environment = run('python3', ['-m', 'venv', join(folder, 'env')]);
const tools = environment.status === 0 ? run(python, ['-m', 'pip', 'install', '-q', 'mypy']) : environment;
if (tools.status !== 0) {
  console.log(`skipped: pip and mypy for the Python client: ${tools.text.trim().split('\n').at(-1)}`);
  test('this test of the Python client needs python3 with venv, and PyPI', () => undefined);
} else {
  // Installs from a copy, because setuptools writes files beside the sources.
  const copy = join(folder, 'python');
  cpSync(source, copy, { recursive: true });
  cpSync(join(source, '..', 'scenarios.json'), join(folder, 'scenarios.json'));

  test('mypy --strict finds no error in the Python client', () => {
    const { status, text } = run(python, ['-m', 'mypy', '--strict', 'checkpointd', 'tests'], copy);
    assert.is(status, 0, text);
  });

  test('the Python client works with Python 3.9', () => {
    const tool = run(python, ['-m', 'pip', 'install', '-q', 'vermin']);
    if (tool.status !== 0) {
      console.log(
        `skipped: vermin, which knows what each Python has: ${tool.text.trim().split('\n').at(-1)}`,
      );
      return;
    }
    // Each module tells Python not to evaluate annotations, so vermin need not check them.
    const words = ['--target=3.9-', '--no-tips', '--violations'];
    const { status, text } = run(join(folder, 'env', 'bin', 'vermin'), [
      ...words,
      join(copy, 'checkpointd'),
      join(copy, 'tests'),
    ]);
    assert.is(status, 0, text);
  });

  test('mypy checks the parameters and results of methods of the installed package', () => {
    const installed = run(python, ['-m', 'pip', 'install', '-q', copy]);
    assert.is(installed.status, 0, installed.text);
    const check = (line: string, types = ''): string => {
      const program = `from checkpointd import Checkpointd${types}\nasync def main(client: Checkpointd) -> None:\n    ${line}\n`;
      return run(python, ['-m', 'mypy', '--strict', '-c', program], folder).text;
    };
    const params = '{"session": "s", "kind": "turn"}';
    assert.match(
      check(`reveal_type((await client.checkpoint_create(${params}))["created"])`),
      /"(builtins\.)?bool"/,
    );
    assert.match(
      check(`made: Checkpoint = (await client.checkpoint_create(${params}))["checkpoint"]`, ', Checkpoint'),
      /Success/,
    );
    const wrong = check('await client.checkpoint_create({"session": "s", "kind": "turn", "mesage": "m"})');
    assert.match(wrong, /"mesage"/);
    assert.ok(wrong.split('\n').length < 5, wrong);
    assert.match(check('await client.checkpoint_create({"session": "s", "kind": "trun"})'), /"kind"/);
    assert.match(check('await client.checkpoint_make({})'), /checkpoint_make/);
    const sync = `from checkpointd.sync import Checkpointd as Sync\ndef main(client: Sync) -> None:\n    reveal_type(client.checkpoint_create(${params})["created"])\n`;
    assert.match(run(python, ['-m', 'mypy', '--strict', '-c', sync], folder).text, /"(builtins\.)?bool"/);
  });

  test('the wheel of the Python client contains the license, the classifiers and the marker file for types', () => {
    const built = run(python, ['-m', 'pip', 'wheel', '-q', '--no-deps', '-w', join(folder, 'wheels'), copy]);
    assert.is(built.status, 0, built.text);
    const list = [
      'import glob, sys, zipfile',
      'wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])',
      'print(*wheel.namelist(), sep="\\n")',
      'print(*[wheel.read(n).decode() for n in wheel.namelist() if n.endswith("/METADATA")])',
    ].join('\n');
    const { text } = run(python, ['-c', list, join(folder, 'wheels')]);
    for (const expected of [/dist-info\/(licenses\/)?LICENSE/, /py\.typed/, /Classifier: Typing :: Typed/])
      assert.match(text, expected);
  });

  test('the installed Python package passes the shared scenarios', () => {
    rmSync(join(copy, 'checkpointd'), { recursive: true });
    const { status, text } = run(python, ['-m', 'unittest', 'discover', 'tests'], copy);
    assert.is(status, 0, text);
  });
}

test.run();
