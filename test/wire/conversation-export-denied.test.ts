// If the daemon has no permission to write into a directory, the error of conversation/export is about the disk, not
// about the parameters.
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { giveToPlainUser, plainUserRefusal } from '../../scripts/torture/plain-user.ts';
import { asNobody, withRig } from '../support/daemon-rig.ts';
import { daemonEntry, failureOf } from '../support/wire-client.ts';

test('if the daemon has no permission to write to a directory or to enter it, an export into this directory fails with ReadOnlyStore', () =>
  withRig(async (rig) => {
    const [shut, hidden] = [join(rig.top, 'shut'), join(rig.top, 'hidden')];
    for (const directory of [shut, hidden]) mkdirSync(directory);
    mkdirSync(join(hidden, 'in'));
    const isRoot = process.getuid?.() === 0;
    const refusal = isRoot ? plainUserRefusal(daemonEntry) : undefined;
    if (refusal !== undefined) return console.log(`skipped: ${refusal}`);
    if (isRoot) giveToPlainUser(rig.top);
    const client = await rig.start(isRoot ? { command: asNobody } : {});
    const { session } = await rig.open(client);
    chmodSync(shut, 0o555);
    chmodSync(hidden, 0);
    try {
      for (const path of [join(shut, 'c.json'), join(hidden, 'in/c.json')]) {
        const refused = await failureOf(client.request('conversation/export', { session, path }));
        assert.equal([refused.kind, refused.data?.effects], ['ReadOnlyStore', 'none'], refused.message);
        assert.match(refused.message, path);
        assert.match(refused.message, /EACCES.*writable/s);
      }
      assert.equal(readdirSync(shut), []);
    } finally {
      for (const directory of [shut, hidden]) chmodSync(directory, 0o755);
    }
    const path = join(shut, 'c.json');
    await client.request('conversation/export', { session, path });
    assert.ok(existsSync(path));
    await client.close();
  }));

test.run();
