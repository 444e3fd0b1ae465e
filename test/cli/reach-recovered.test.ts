// Tests that a command finishes the interrupted restore of the session that it opens, and that the command reports
// this.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { killRestore, restoredFiles } from '../support/programs/killed-restore.ts';

test('after a killed restore, the next command finishes the restore and reports it', () =>
  withRig(async (rig) => {
    await killRestore(rig, 'command line');
    const program = await rig.command('status');
    assert.is(program.code, 0, program.stderr);
    assert.match(
      program.stderr,
      /^checkpointd: An interrupted restore was finished: \d+ paths restored and 0 deleted, \d+ of them edited outside this session\. "checkpointd undo" reverses this change\.$/m,
    );
    for (const name of restoredFiles) assert.is(rig.read(name), 'before\n');
    const again = await rig.command('status');
    assert.is(again.code, 0);
    assert.not.match(again.stderr, /interrupted restore/);
  }));

test.run();
