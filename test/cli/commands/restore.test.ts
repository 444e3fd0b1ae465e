// Tests `checkpointd restore` when no file differs.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RestoreResult } from '../../../src/protocol/types.ts';
import { withRig } from '../../support/daemon-rig.ts';

test('if no file differs, `restore` says so and changes nothing; `undo` then reverses the previous restore', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    rig.write('a.txt', 'changed\n');
    const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
    assert.match(await rig.output('restore', '0', '--yes'), /Restored \(1\)/);
    assert.is(rig.read('a.txt'), 'a\n');
    for (const words of [['--json'], ['--json', '--yes'], ['--json', '--dry-run']]) {
      const plan = JSON.parse(await rig.output('restore', '0', ...words)) as RestoreResult;
      assert.equal([plan.dryRun, plan.restored, plan.deleted], [true, [], []], words.join(' '));
    }
    for (const words of [[], ['--yes'], ['--dry-run'], ['--yes', 'deep']])
      assert.is(await rig.output('restore', '0', ...words), 'No file changes.\n', words.join(' '));
    const both = await rig.command('restore', '0', '--yes', '--patch');
    assert.is(both.code, 2);
    assert.match(both.stderr, /--patch shows a plan, and --yes restores without a plan/);
    await rig.output('undo');
    assert.is(rig.read('a.txt'), 'changed\n');
    const { checkpoints } = await client.request('checkpoint/list', { session });
    assert.ok(checkpoints.some(({ id }) => id === checkpoint.id));
    await client.close();
  }));

test.run();
