// With --json, a command reports failures as data on standard output. Without --json, a command reports failures as
// text on standard error.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';

interface Told {
  readonly code: number | null;
  readonly error: { readonly kind: string; readonly message: string; readonly remedy: string };
  readonly stderr: string;
}

async function told(rig: DaemonRig, ...[command = '', ...rest]: string[]): Promise<Told> {
  const program = rig.run([command, `--storage=${rig.storage}`, '--json', ...rest]);
  const code = await program.code;
  const { error } = JSON.parse(program.stdout) as Partial<Told>;
  if (error === undefined)
    throw new Error(`${command} ${rest.join(' ')} (${code}): ${program.stdout}${program.stderr}`);
  return { code, error, stderr: program.stderr };
}

test('with --json, an error is printed as data with its kind, message and remedy', () =>
  withRig(async (rig) => {
    const none = await told(rig, 'list');
    assert.equal([none.code, none.error.kind, none.stderr], [3, 'NoSession', '']);
    assert.match(none.error.message, /^\/.* has no session\.$/);
    assert.match(none.error.remedy, /"checkpointd create" starts one/);
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', name: 'lunch' });
    rig.write('a.txt', 'changed\n');
    const unknown = await told(rig, 'show', 'lunc');
    assert.equal([unknown.code, unknown.error.kind, unknown.stderr], [1, 'UnknownCheckpoint', '']);
    assert.is(unknown.error.remedy, 'Use "checkpointd list" to see the checkpoints. Did you mean lunch?');
    const undone = await told(rig, 'undo');
    assert.equal([undone.code, undone.error.kind], [1, 'NothingToUndo']);
    for (const [words, kind, message, remedy] of [
      [['restore', '1'], 'ConfirmationRequired', /cannot ask/, /--yes restores/],
      [['restore', '1', 'nope', '--yes'], 'WrongCommandLine', /neither a checkpoint/, /"checkpointd list"/],
      [['restore'], 'WrongCommandLine', /missing required argument 'tag'/, /checkpointd help restore/],
      [['list', '--nonsense'], 'WrongCommandLine', /unknown option '--nonsense'/, /checkpointd help list/],
      [['forget', 'x'], 'WrongCommandLine', /not a number of messages/, /Give 1 or more/],
      [
        ['sessions', 'delete', 'ses_u', '--yes'],
        'NoSession',
        /no session has the id ses_u/,
        /checkpointd sessions/,
      ],
      [['restroe', '1'], 'WrongCommandLine', /unknown command/, /help/],
      [['help', 'foo'], 'WrongCommandLine', /checkpointd has no command "foo"/, /checkpointd help/],
    ] as const) {
      const { code, error, stderr } = await told(rig, ...words);
      assert.equal([code, error.kind, stderr], [kind === 'NoSession' ? 3 : 2, kind, ''], words.join(' '));
      assert.match(error.message, message);
      assert.match(error.remedy, remedy);
    }
    assert.is(rig.read('a.txt'), 'changed\n');
    await client.close();
  }));

test('with --json, a failed system call is also printed as data', () =>
  withRig(async (rig) => {
    const loop = join(rig.top, 'loop');
    symlinkSync(loop, loop);
    const program = rig.run(['list', '--json', `--storage=${loop}`]);
    assert.is(await program.code, 1);
    const { error } = JSON.parse(program.stdout) as Pick<Told, 'error'>;
    assert.is(error.kind, 'SystemError');
    assert.match(error.message, /ELOOP/);
  }));

test.run();
