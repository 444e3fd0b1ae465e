// A kept session whose directory was replaced: its checkpoints are of another directory, and that is said.
import { cpSync, renameSync, rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';

const said =
  /was replaced since this session was made.* Earlier checkpoints hold the files of the old directory/;

async function warningsOfOpen(rig: DaemonRig, strategy: string): Promise<string> {
  const client = await rig.start();
  const { warnings = [] } = await rig.open(client, { retention: 'keep', strategy });
  const again = await rig.open(client, { retention: 'keep', strategy });
  assert.equal(again.warnings ?? [], warnings, 'a second client of the open session');
  await client.close();
  return warnings.join('\n');
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: session/open warns where the work tree was replaced since the session was made`, () =>
    withRig(async (rig) => {
      const { client } = await rig.opened({ retention: 'keep', strategy });
      await client.close();
      assert.is(await warningsOfOpen(rig, strategy), '');
      // Copied before the old one goes, so that no inode is used again.
      cpSync(rig.work, `${rig.work}.new`, { recursive: true });
      rmSync(rig.work, { recursive: true });
      renameSync(`${rig.work}.new`, rig.work);
      assert.match(await warningsOfOpen(rig, strategy), said);
    }));
}

test('a work tree that was moved away and back is not taken for another one', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ retention: 'keep' });
    await client.close();
    renameSync(rig.work, `${rig.work}.aside`);
    renameSync(`${rig.work}.aside`, rig.work);
    assert.is(await warningsOfOpen(rig, 'shadow'), '');
  }));

test('the command line says that the work tree was replaced before it asks for a restore', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ retention: 'keep' });
    await client.close();
    cpSync(rig.work, `${rig.work}.new`, { recursive: true });
    rmSync(rig.work, { recursive: true });
    renameSync(`${rig.work}.new`, rig.work);
    rig.write('a.txt', 'of the new one\n');
    const restore = rig.run(['restore', '0', `--storage=${rig.storage}`]);
    assert.is(await restore.code, 2);
    assert.match(restore.stderr, said);
    assert.is(rig.read('a.txt'), 'of the new one\n');
  }));

test.run();
