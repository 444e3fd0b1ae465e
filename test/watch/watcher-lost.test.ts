// If the watcher cannot run, captures scan everything, and answers give the reason.
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResultOf } from '../../src/protocol/types.ts';
import { withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';

test('a daemon whose working directory was removed says why it cannot watch, and still captures changes', () =>
  withRig(async (rig) => {
    if (process.platform === 'win32') return console.log('skipped: it cannot be removed there');
    const cwd = join(rig.top, 'elsewhere');
    mkdirSync(cwd);
    const client = await rig.start({ cwd });
    rmdirSync(cwd);
    const { session } = await rig.open(client);
    rig.write('a.txt', 'two\n');
    const { capture } = await client.request('checkpoint/create', { session, kind: 'turn' });
    assert.equal([capture.path, capture.reason], ['cold', 'unwatched']);
    const status = (): Promise<ResultOf<'worktree/status'>> => client.request('worktree/status', { session });
    await until('the watcher has given up', async () => (await status()).reason !== undefined);
    const { state, reason = '' } = await status();
    assert.is(state, 'suspect');
    assert.match(reason, /thread failed/);
    const { watcher } = await client.request('session/get', { session });
    assert.equal([watcher.state, watcher.reason], [state, reason]);
    await client.request('checkpoint/restore', { session, tag: '0' });
    assert.is(rig.read('a.txt'), 'a\n');
    assert.is((await client.close()).code, 0);
  }));

test.run();
