// A session whose session.json was removed is resumed and kept, and the daemon reports this.
import { existsSync, rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { SessionDirectory } from '../../src/session/directory.ts';
import { withSessions } from '../support/session-rig.ts';

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: a session that lost its session.json is resumed with all its data, and kept at its end`, () =>
    withSessions(async (rig) => {
      const place = { workspace: rig.work, conversationId: 'c', strategy } as const;
      rig.write('a', 'one\n');
      const { session } = await rig.request('session/open', { ...place, retention: 'keep' });
      const entry = { user: { content: 'u' }, assistant: { content: 'a' } };
      await rig.request('conversation/append', { session, entry });
      rig.write('a', 'two\n');
      await rig.request('checkpoint/create', { session, kind: 'turn' });
      await rig.request('session/close', { session });
      const { markerFile, logFile } = new SessionDirectory(rig.storage, session as never);
      rmSync(markerFile);

      const listed = await rig.request('session/list', {});
      assert.match(listed.warnings?.join() ?? '', /session\.json is damaged or missing/);

      // An opening that fails removes nothing.
      installFault((call, target) => {
        if (call === 'rename' && target.includes('checkpoints-enabled'))
          throw Object.assign(new Error('EIO'), { code: 'EIO' });
      });
      const opening = rig.request('session/open', place).finally(() => installFault(undefined));
      assert.match(
        await opening.then(
          () => 'opened',
          (error: unknown) => String(error),
        ),
        'EIO',
      );
      assert.ok(existsSync(logFile));

      const { resumed, checkpoints, warnings } = await rig.request('session/open', place);
      assert.equal([resumed, checkpoints.enabled], [true, true]);
      assert.match(warnings?.join() ?? '', /session\.json.*missing.*keeps the session unless/);
      assert.is((await rig.request('conversation/get', { session })).historyLength, 1);
      assert.is((await rig.request('checkpoint/list', { session })).checkpoints.length, 2);
      assert.equal(await rig.request('session/close', { session }), { removed: false, reason: 'retention' });
      assert.ok(existsSync(markerFile));
      const again = await rig.request('session/open', place);
      assert.equal([again.resumed, again.warnings], [true, undefined]);
      assert.is((await rig.request('checkpoint/list', { session })).checkpoints.length, 2);
    }));

test.run();
