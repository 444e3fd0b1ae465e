// The daemon ignores a field that a method does not have, even if another method has it. Clients of later versions may
// send new fields.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WireFailure } from '../support/frames.ts';
import { withClient } from '../support/wire-client.ts';

for (const session of [true, 'ses_00000000000000000000000000', {}, null])
  test(`session/list ignores an unknown field "session" with the value ${JSON.stringify(session)}`, () =>
    withClient(async (client) => {
      await client.initialize();
      const answer = await client.send('session/list', { session }).answer.catch((error: unknown) => error);
      assert.not.instance(answer, WireFailure, String(answer));
    }));

test.run();
