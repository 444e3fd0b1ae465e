// The daemon asks git for its version in a directory that always exists, not in the directory in which the daemon runs.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../../support/daemon-rig.ts';

test('if the directory for temporary files is missing, git is not reported as missing', () =>
  withRig(async (rig) => {
    const client = await rig.start({ env: { ...rig.environment, TMPDIR: '/nope', TMP: '', TEMP: '' } });
    const { checkpoints } = await rig.open(client);
    assert.equal(checkpoints, { enabled: true });
    assert.is((await client.close()).code, 0);
  }));

test.run();
