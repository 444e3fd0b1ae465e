// The daemon asks git for its version in a directory that always exists, not in the directory in which the daemon runs.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../../support/daemon-rig.ts';

test('a missing directory for temporary files does not make the daemon report git as missing', () =>
  withRig(async (rig) => {
    const client = await rig.start({ env: { ...rig.environment, TMPDIR: '/nope', TMP: '', TEMP: '' } });
    const { checkpoints } = await rig.open(client);
    assert.equal(checkpoints, { enabled: true });
    assert.is((await client.close()).code, 0);
  }));

test.run();
