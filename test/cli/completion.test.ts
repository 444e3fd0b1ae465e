import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { completion, shells } from '../../src/cli/completion.ts';
import { withRig } from '../support/daemon-rig.ts';
import { daemonEntry } from '../support/wire-client.ts';

const names = ['list', 'restore', 'redo'];

/** What bash offers for these words, the last of which is being typed. */
function offered(script: string, words: readonly string[], options: object = {}): string[] {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _checkpointd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, status, stderr } = spawnSync('bash', ['-c', `${script}\n${ask}`], {
    encoding: 'utf8',
    ...options,
  });
  assert.is(status, 0, stderr);
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes the names of commands', () => {
  assert.equal(offered(completion('bash', names) ?? '', ['checkpointd', 're']), ['restore', 'redo']);
});

test('a shell completes tags and names where a checkpoint may stand, and runs nothing that a name says', () =>
  withRig(async (rig) => {
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
    const env = {
      ...rig.environment,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    };
    const script = spawnSync(program, ['completion', 'bash'], {
      encoding: 'utf8',
      env,
      cwd: rig.work,
    }).stdout;
    const all = offered(script, ['checkpointd', 'restore', ''], { env, cwd: rig.work });
    assert.equal(all.slice(0, 3), ['0', '1', 'before-lunch']);
    assert.is(rig.read('pwned'), undefined);
    assert.equal(offered(script, ['checkpointd', 'show', 'bef'], { env, cwd: rig.work }), ['before-lunch']);
    assert.equal(offered(script, ['checkpointd', 'list', ''], { env, cwd: rig.work }), []);
    await client.close();
  }));

test('every shell has a script that asks for tags; one that is not known has none', () => {
  for (const shell of shells) assert.match(completion(shell, names) ?? '', /complete-tags/, shell);
  assert.is(completion('csh', []), undefined);
});

for (const shell of ['zsh', 'fish'])
  if (spawnSync(shell, ['--version']).error === undefined)
    test(`${shell} reads its script`, () => {
      const checked = spawnSync(shell, ['-n'], { input: completion(shell, names) ?? '', encoding: 'utf8' });
      assert.equal([checked.status, checked.stderr], [0, '']);
    });

test.run();
