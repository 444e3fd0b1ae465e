// If the work tree of a kept session was replaced, the old checkpoints show another directory. A warning says so.
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

/**
 * Replaces the work tree by a copy. The copy exists before the old directory is removed, so that the copy gets new
 * inode numbers.
 */
function replaceWorkTree({ work }: DaemonRig): void {
  cpSync(work, `${work}.new`, { recursive: true });
  rmSync(work, { recursive: true });
  renameSync(`${work}.new`, work);
}

/** Runs a restore on the command line. Without --yes, the command only shows the plan. */
async function planned(rig: DaemonRig, tag: string): Promise<{ code: number | null; text: string }> {
  const { code, stdout, stderr } = await rig.command('restore', tag);
  return { code, text: `${stdout}${stderr}` };
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: session/open warns if the directory of the work tree was replaced since the session began`, () =>
    withRig(async (rig) => {
      const { client } = await rig.opened({ retention: 'keep', strategy });
      await client.close();
      assert.is(await warningsOfOpen(rig, strategy), '');
      replaceWorkTree(rig);
      assert.match(await warningsOfOpen(rig, strategy), said);
    }));
}

test('session/open warns of a replaced work tree until the new work tree has a checkpoint', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ retention: 'keep' });
    await client.close();
    replaceWorkTree(rig);
    assert.match(await warningsOfOpen(rig, 'shadow'), said);
    const next = await rig.start();
    const { session } = await rig.open(next, { retention: 'keep' });
    rig.write('a.txt', 'of the new one\n');
    await next.request('checkpoint/create', { session, kind: 'turn' });
    await next.close();
    assert.is(await warningsOfOpen(rig, 'shadow'), '');
    const last = await rig.start();
    await rig.open(last, { retention: 'keep' });
    const warningsOf = async (tag: string): Promise<string> => {
      const request = { session, tag, mode: 'hard', dryRun: true } as const;
      return ((await last.request('checkpoint/restore', request)).warnings ?? []).join('\n');
    };
    assert.match(await warningsOf('0'), /The directory at .* was replaced after this checkpoint was made/);
    assert.is(await warningsOf('1'), '');
    await last.close();
    assert.match(
      (await planned(rig, '0')).text,
      /was replaced after this checkpoint was made/,
      'the command line says it, too',
    );
    replaceWorkTree(rig);
    assert.match(await warningsOfOpen(rig, 'shadow'), said, 'replaced once more');
  }));

test('a work tree that was moved away and back does not count as replaced', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ retention: 'keep' });
    await client.close();
    renameSync(rig.work, `${rig.work}.aside`);
    renameSync(`${rig.work}.aside`, rig.work);
    assert.is(await warningsOfOpen(rig, 'shadow'), '');
  }));

test('the command line reports a replaced work tree before it asks to confirm a restore', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ retention: 'keep' });
    await client.close();
    replaceWorkTree(rig);
    rig.write('a.txt', 'of the new one\n');
    const restore = await planned(rig, '0');
    assert.is(restore.code, 2);
    assert.match(restore.text, said);
    assert.is(rig.read('a.txt'), 'of the new one\n');
  }));

test.run();
