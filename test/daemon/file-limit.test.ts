// Runs a daemon with a limit for the size of files (ulimit -f). The error must not ask the user to free disk space,
// which would not help.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { daemonEntry, failureOf } from '../support/wire-client.ts';

/** Limits files to one or two megabytes, because shells count in different units. */
const limited = ['sh', '-c', 'ulimit -f 2048 && exec "$0" "$@"', process.execPath, daemonEntry] as const;

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: if a file reaches the limit of ulimit -f, the error names this limit instead of a full disk`, () =>
    withRig(async (rig) => {
      const client = await rig.start({ command: limited });
      const { session } = await rig.open(client, { strategy });
      writeFileSync(join(rig.work, 'large'), randomBytes(6_000_000));
      const refused = await failureOf(client.request('checkpoint/create', { session, kind: 'turn' }));
      assert.equal([refused.kind, refused.data?.effects], ['StoreUnavailable', 'none'], refused.message);
      assert.match(refused.message, 'ulimit -f');
      writeFileSync(join(rig.work, 'large'), 'small\n');
      const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
      assert.is(checkpoint?.tag, '1');
      await client.close();
    }));

test.run();
