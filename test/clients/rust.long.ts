// Checks the Rust client with rustfmt and clippy. Runs the client's own tests, the shared scenarios and the example of
// the client's README with the real daemon. The tests take long because they compile. Without cargo or the two crates,
// the tests are skipped with a message.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slowNamesCommand } from '../support/wire-client.ts';

const crate = fileURLToPath(new URL('../../../protocol/clients/rust/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'checkpointd-cargo-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const command = slowNamesCommand;

function cargo(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { status: number | null; text: string } {
  const result = spawnSync('cargo', args, {
    cwd: crate,
    encoding: 'utf8',
    env: {
      ...process.env,
      CARGO_TARGET_DIR: join(folder, 'target'),
      CHECKPOINTD_COMMAND: JSON.stringify(command),
      ...env,
    },
    maxBuffer: 1 << 26,
    timeout: 1_200_000,
  });
  return { status: result.status, text: `${result.stdout}${result.stderr}${result.error?.message ?? ''}` };
}

const fetched = cargo(['fetch', '--locked']);
if (fetched.status !== 0) {
  console.log(`skipped: the Rust client: ${fetched.text.trim().split('\n').at(-1)}`);
  test('this test of the Rust client needs cargo, serde and serde_json', () => undefined);
} else {
  test('the Rust client is formatted and passes clippy', () => {
    for (const args of [
      ['fmt', '--check'],
      ['clippy', '--locked', '--all-targets', '--', '-D', 'warnings'],
    ]) {
      const { status, text } = cargo(args);
      if (/no such (command|subcommand)|is not installed/.test(text)) {
        console.log(`skipped: cargo ${args[0]}: ${text.trim().split('\n')[0]}`);
      } else assert.is(status, 0, text);
    }
  });

  test('the Rust client passes its tests and the shared scenarios', () => {
    const { status, text } = cargo(['test', '--locked']);
    assert.is(status, 0, text);
    assert.match(text, /test every_scenario \.\.\. ok/);
  });

  test('the README example of the Rust client works, and equals the file in examples/', () => {
    const readme = readFileSync(join(crate, 'README.md'), 'utf8');
    const example = readFileSync(join(crate, 'examples/day.rs'), 'utf8');
    assert.is(/```rust\n(.*?)```/s.exec(readme)?.[1], example);
    const work = join(folder, 'work');
    assert.is(spawnSync('git', ['init', '-q', work]).status, 0);
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/checkpointd'), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, {
      mode: 0o755,
    });
    const env = {
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      XDG_STATE_HOME: join(folder, 'state'),
    };
    const built = cargo(['build', '--locked', '-q', '--example', 'day']);
    assert.is(built.status, 0, built.text);
    const program = join(folder, 'target/debug/examples/day');
    const plain = join(folder, 'plain');
    mkdirSync(plain);
    // Without an argument, the example uses its current directory, whether this is a repository or not.
    for (const [args, cwd] of [
      [[work], folder],
      [[], work],
      [[], plain],
    ] as const) {
      const ran = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });
      assert.is(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, /made Checkpoint \{ id: "ckpt_/);
      assert.match(ran.stdout, /refused: /);
    }
  });

  test('the package of the Rust client contains its license, and documents every public item', () => {
    const list = cargo(['package', '--locked', '--allow-dirty', '--list']);
    assert.is(list.status, 0, list.text);
    for (const name of ['LICENSE', 'README.md', 'src/client.rs', 'examples/day.rs'])
      assert.ok(list.text.split('\n').includes(name), `${name} in ${list.text}`);
    const documented = cargo(['doc', '--locked', '--no-deps'], { RUSTDOCFLAGS: '-D warnings' });
    assert.is(documented.status, 0, documented.text);
  });
}

test.run();
