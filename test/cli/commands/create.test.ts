// Tests that `checkpointd create` begins no session by accident.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandResult, type DaemonRig, withRig } from '../../support/daemon-rig.ts';

const run = (rig: DaemonRig, ...words: string[]): Promise<CommandResult> =>
  rig.command(...words, '-C', rig.home);

test('the command `create` begins a session of the home directory only with --allow-protected', () =>
  withRig(async (rig) => {
    mkdirSync(join(rig.home, 'project'));
    const refused = await run(rig, 'create');
    assert.is(refused.code, 1);
    assert.match(
      refused.stderr,
      /no session starts there by accident.*run "checkpointd create --allow-protected"/,
    );
    assert.not.match(refused.stderr, /started a session/);
    assert.equal(rig.sessions(), []);
    const made = await run(rig, 'create', '--allow-protected', '-m', 'all of it');
    assert.is(made.code, 0, made.stderr);
    assert.match(
      made.stderr,
      /^checkpointd: started a session of .*\/home; the session is kept until "checkpointd sessions delete" deletes it\n$/,
    );
    assert.match(made.stdout, /^\[1\] .* all of it\n$/);
    const listed = await run(rig, 'list');
    assert.is(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /^\[0\][^]*\n\[1\]/);
    const client = await rig.start();
    await rig.open(client, {
      workspace: rig.home,
      conversationId: 'command line',
      retention: 'keep',
      allowProtected: true,
    });
    const joined = await run(rig, 'status');
    assert.is(joined.code, 0, joined.stderr);
    await client.close();
  }));

test('the command `create` begins no session if --session has an unknown id', () =>
  withRig(async (rig) => {
    const program = await rig.command('create', '--session=ses_nope');
    assert.is(program.code, 3);
    assert.match(program.stderr, /no session has the id ses_nope/);
    assert.equal(rig.sessions(), []);
  }));

test.run();
