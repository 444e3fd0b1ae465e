// Tests completion in real shells, with the script that the program prints for each shell.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { completion, shells } from '../../src/cli/completion.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { daemonEntry } from '../support/wire-client.ts';
import { hasTerminal, inTerminal } from './console/console-rig.ts';

/**
 * Runs `use` with `checkpointd` on PATH and with two named checkpoints. A shell may offer only one of the two names.
 */
async function withProgram(use: (rig: DaemonRig, env: NodeJS.ProcessEnv) => unknown): Promise<void> {
  await withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', name: 'before-lunch' });
    await client.request('checkpoint/create', { session, kind: 'turn', name: '$(touch pwned)' });
    const bin = join(rig.top, 'bin');
    mkdirSync(bin);
    const program = join(bin, 'checkpointd');
    const command = `'${process.execPath}' '${daemonEntry}' "$@"`;
    writeFileSync(
      program,
      `#!/bin/sh\n[ "$1" = completion ] && exec ${command}\nexec ${command} --storage='${rig.storage}'\n`,
    );
    chmodSync(program, 0o755);
    await use(rig, { ...rig.environment, PATH: `${bin}:${process.env['PATH'] ?? ''}` });
    assert.is(rig.read('pwned'), undefined);
    await client.close();
  });
}

/** A typed text, with the words that the shell must offer and those that it must not offer. */
const wanted: readonly (readonly [typed: string, offered: readonly string[], withheld: readonly string[]])[] =
  [
    ['checkpointd re', ['restore', 'revert', 'redo'], ['list', 'before-lunch']],
    ['checkpointd restore ', ['0', '1', 'before-lunch'], ['deep/', '$(touch']],
    ['checkpointd show bef', ['before-lunch'], ['0']],
    ['checkpointd diff 0 bef', ['before-lunch'], ['0']],
    ['checkpointd restore --', ['--hard', '--dry-run', '--yes', '--storage'], ['--stat', 'before-lunch']],
    ['checkpointd restore 1 -- de', ['deep/'], ['before-lunch']],
    ['checkpointd restore 1 de', ['deep/'], ['before-lunch']],
    ['checkpointd restore 1 a.txt de', ['deep/'], ['before-lunch']],
    ['checkpointd restore -C deep bef', ['before-lunch'], ['b.txt']],
    ['checkpointd restore -C deep 1 ', ['b.txt'], ['before-lunch', 'a.txt', '0']],
    ['checkpointd revert 1 bef', ['before-lunch'], ['0']],
    ['checkpointd revert 0 1 de', ['deep/'], ['before-lunch']],
    ['checkpointd diff de', ['deep/'], ['before-lunch']],
    ['checkpointd diff 0 1 de', ['deep/'], ['before-lunch']],
    ['checkpointd completion ', ['bash', 'zsh', 'fish'], ['deep/']],
    ['checkpointd list --storage de', ['deep/'], ['--json']],
  ];

function isThere(shell: string): boolean {
  if (spawnSync(shell, ['--version']).error === undefined) return true;
  console.log(`note: SKIPPED, because ${shell} is not installed: what it completes`);
  return false;
}

/** Returns the words that bash offers for the last word of a command line. Bash itself adds names of files. */
function byBash(typed: string, env: NodeJS.ProcessEnv, cwd: string): string[] {
  const words = typed.split(' ').map((word) => `'${word}'`);
  const ask = `eval "$(checkpointd completion bash)"
    COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _checkpointd
    [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    for each in "\${COMPREPLY[@]}"; do [ -d "$each" ] && each="$each/"; printf '%s\n' "$each"; done`;
  const { stdout, status, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8', env, cwd });
  assert.equal([status, stderr], [0, '']);
  return stdout.split('\n');
}

function byFish(typed: string, env: NodeJS.ProcessEnv, cwd: string): string[] {
  // Uses a file, because fish once refused to `source` a pipe, as if the pipe were a directory.
  const ask = `set -l file (mktemp); checkpointd completion fish >$file; source $file; rm $file
    complete -C ${JSON.stringify(typed)}`;
  const { stdout, status, stderr } = spawnSync('fish', ['--no-config', '-c', ask], {
    encoding: 'utf8',
    env,
    cwd,
  });
  assert.equal([status, stderr], [0, '']);
  return stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
}

for (const [shell, offer] of [
  ['bash', byBash],
  ['fish', byFish],
] as const)
  if (isThere(shell))
    test(`${shell} completes commands, options, tags and paths, and never runs code in a completed name`, () =>
      withProgram((rig, env) => {
        for (const [typed, offered, withheld] of wanted) {
          const found = offer(typed, env, rig.work);
          for (const each of offered)
            assert.ok(found.includes(each), `${typed}: ${each} of ${found.join(' ')}`);
          for (const each of withheld)
            assert.not.ok(
              found.some((one) => one.startsWith(each)),
              `${typed}: ${each}`,
            );
        }
      }));

if (isThere('zsh') && hasTerminal())
  test('zsh completes commands, options, tags and paths, and never runs code in a completed name', () =>
    withProgram(async (rig, env) => {
      const setUp =
        'autoload -Uz compinit; compinit -u; eval "$(checkpointd completion zsh)"; PS1="ready "; clear';
      await inTerminal({ work: rig.work, environment: env }, 'zsh -f', async ({ type, shows, ended }) => {
        await shows(/[%#]\s*$/);
        type(setUp, 'Enter');
        await shows(/^ready\s*$/);
        for (const [typed, offered] of wanted) {
          type(typed, 'Tab');
          for (const each of offered) await shows(new RegExp(`(^|\\s)${each.replaceAll(/[$()]/g, '\\$&')}`));
          type('C-c');
          await shows(/\nready\s*$/);
          type('clear', 'Enter');
          await shows(/^ready\s*$/);
        }
        type('exit', 'Enter');
        await ended();
      });
    }));

test('every supported shell has a completion script, and other shells have no script', () => {
  for (const shell of shells) assert.match(completion(shell, []) ?? '', /checkpointd/, shell);
  assert.is(completion('csh', []), undefined);
});

test.run();
