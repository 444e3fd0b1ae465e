// session/list reads the stored summary of a session without opening the session.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { summaryOf } from '../../src/client/stored-sessions.ts';
import { withRig } from '../support/daemon-rig.ts';

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: session/list counts the checkpoints of a kept session without opening the session`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened({ retention: 'keep', strategy });
      for (const message of ['first', 'second'])
        await client.request('checkpoint/create', { session, kind: 'turn', message });
      await client.request('checkpoint/delete', { session, tag: '2' });
      await client.request('session/close', { session });
      const listed = async (): Promise<number | undefined> => {
        const { sessions } = await client.request('session/list', {});
        return sessions.find((each) => each.session === session)?.checkpoints;
      };
      assert.is(await listed(), 2);
      const file = join(rig.storage, session, 'checkpointd', 'summary.json');
      const written = (): unknown => {
        const { sum: _, ...summary } = JSON.parse(readFileSync(file, 'utf8')) as { readonly sum?: string };
        return summary;
      };
      assert.equal(written(), { checkpoints: 2, firstPrompt: 'first' });
      // A session of an earlier version has no summary until the session is opened.
      rmSync(file);
      assert.is(await listed(), undefined);
      await rig.open(client, { retention: 'keep', strategy });
      assert.equal(written(), { checkpoints: 2, firstPrompt: 'first' });
      await client.request('checkpoint/clean', { session });
      assert.equal(written(), { checkpoints: 0, firstPrompt: 'first' });
      await client.close();
    }));

for (const damaged of ['', '{"checkpoints":3', (text: string) => text.replace(':3', ':7')])
  test(`session/list warns of a damaged summary: ${typeof damaged === 'string' ? `'${damaged}'` : 'another count'}`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened({ retention: 'keep' });
      for (const message of ['first', 'second'])
        await client.request('checkpoint/create', { session, kind: 'turn', message });
      await client.request('session/close', { session });
      const file = join(rig.storage, session, 'checkpointd', 'summary.json');
      const whole = readFileSync(file, 'utf8');
      writeFileSync(file, typeof damaged === 'string' ? damaged : damaged(whole));
      const { sessions, warnings } = await client.request('session/list', {});
      assert.is(sessions.find((each) => each.session === session)?.checkpoints, undefined);
      assert.match(warnings?.join() ?? '', /summary\.json is damaged/);
      assert.is(summaryOf({ storage: rig.storage, session }).checkpoints, undefined);
      await rig.open(client, { retention: 'keep' });
      assert.is(readFileSync(file, 'utf8'), whole, 'opening the session writes the summary again');
      await client.close();
    }));

test.run();
