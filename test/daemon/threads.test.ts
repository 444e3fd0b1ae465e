// Tests the number of threads that a daemon starts for file calls. A restore waits for many syncs, and each sync needs a
// thread.
import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';

/** Returns the number of threads of a daemon with a watched session. */
async function threadsWith(env: NodeJS.ProcessEnv): Promise<number> {
  let threads = 0;
  await withRig(async (rig) => {
    const { client, session } = await rig.opened({}, { env: { ...rig.environment, ...env } });
    await until('the work tree is watched', async () => {
      const { state } = await client.request('worktree/status', { session });
      return state === 'live';
    });
    threads = readdirSync(`/proc/${client.process.pid}/task`).length;
  });
  return threads;
}

if (process.platform === 'linux')
  test('a daemon has ten threads for file calls, or as many as the user wants', async () => {
    const usual = await threadsWith({});
    assert.is(usual - (await threadsWith({ UV_THREADPOOL_SIZE: '3' })), 7);
  });
else console.log('skipped: only Linux lists the threads of a process');

test.run();
