// Makes a kept session whose daemon was killed in the middle of a restore. Only some files are restored. The next
// session/open restores the other files.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { DaemonRig } from '../daemon-rig.ts';
import { testProgram, WireClient } from '../wire-client.ts';
import type { FaultPlan } from './planned-fault.ts';

export const restoredFiles: readonly string[] = Array.from({ length: 12 }, (_, i) => `file-${i}`);

/**
 * The files contain "before" in the checkpoint, and "after" when the restore begins. After the kill some files contain
 * "before", and the others "after".
 */
export async function killRestore(rig: DaemonRig, conversationId: string): Promise<void> {
  for (const name of restoredFiles) rig.write(name, 'before\n');
  const planFile = join(rig.top, 'plan');
  const client = new WireClient({
    command: [
      process.execPath,
      testProgram('planned-daemon'),
      `--plan=${planFile}`,
      `--storage-dir=${rig.storage}`,
      '--no-listen',
    ],
  });
  await client.request('initialize', {});
  client.notify('initialized', {});
  const opened = await client.request('session/open', {
    workspace: rig.work,
    conversationId,
    retention: 'keep',
  });
  const { session } = opened as { session: string };
  for (const name of restoredFiles) rig.write(name, 'after\n');
  const plan: FaultPlan = { act: 'kill', at: 5, match: '^rename .*\\.ckpt-tmp-' };
  writeFileSync(`${planFile}.new`, JSON.stringify(plan));
  renameSync(`${planFile}.new`, planFile);
  const restore = { session, tag: '0', mode: 'hard', confirm: true } as const;
  const ended = await client.request('checkpoint/restore', restore).then(
    () => 'answered',
    () => 'ended',
  );
  assert.is(ended, 'ended');
  assert.is((await client.exited).signal, 'SIGKILL');
  assert.ok(restoredFiles.some((name) => rig.read(name) === 'after\n'));
}
