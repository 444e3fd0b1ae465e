// Tests that a hook finishes the restore of a killed daemon, and that the log of the hooks reports this.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../../support/daemon-rig.ts';
import { endKeepers } from '../../support/programs/keepers.ts';
import { killRestore, restoredFiles } from '../../support/programs/killed-restore.ts';
import { until } from '../../support/until.ts';
import { daemonEntry } from '../../support/wire-client.ts';

test('after a killed restore, the next hook finishes the restore and reports it', () =>
  withRig(async (rig) => {
    await killRestore(rig, 'claude-code:one');
    const log = join(rig.storage, 'hooks', 'hook.log');
    const words = [daemonEntry, 'hook', 'claude-code', `--storage=${rig.storage}`];
    const prompt = { session_id: 'one', cwd: rig.work, hook_event_name: 'UserPromptSubmit', prompt: 'go on' };
    try {
      const child = spawn(process.execPath, words, { env: rig.environment, cwd: rig.work, stdio: 'pipe' });
      child.stdin.end(JSON.stringify(prompt));
      assert.is(await new Promise((resolve) => child.on('close', resolve)), 0);
      const said = /claude-code one: An interrupted restore was finished: \d+ paths restored/;
      await until('the log has the line', () => existsSync(log) && said.test(readFileSync(log, 'utf8')));
      for (const name of restoredFiles) assert.is(rig.read(name), 'before\n');
    } finally {
      await endKeepers(rig.storage);
    }
  }));

test.run();
