// Tests the texts that tools return to a model. Each text comes with the daemon's answer as structured result.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { McpSession } from '../../../src/cli/mcp/session.ts';
import { tools } from '../../../src/cli/mcp/tools.ts';

test('after a restore of thousands of files, the result lists the first fifty names', async () => {
  const restored = Array.from({ length: 3000 }, (_, at) => ({ path: `file-${at}.txt` }));
  const answer = { dryRun: true, restored, deleted: [], conflicts: [], skipped: [], failed: [] };
  const session = { ask: () => Promise.resolve(answer) } as unknown as McpSession;
  const restore = tools.find(({ name }) => name === 'checkpoint_restore');
  const { text = '' } = (await restore?.run(session, { tag: '1' }, new AbortController().signal)) ?? {};
  assert.match(text, /^would be restored \(3000\): file-0\.txt, .*, file-49\.txt, and 2950 more\n/);
  assert.not.match(text, /file-50\.txt/);
});

test.run();
