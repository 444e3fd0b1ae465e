// Tests a lost or damaged log. The conversation is then lost, but the checkpoints of the files are not.
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Strategy } from '../../src/protocol/types.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

const damages: readonly (readonly [string, (file: string) => void])[] = [
  ['lost', (file) => rmSync(file)],
  ['emptied', (file) => truncateSync(file)],
  ['no longer a log', (file) => writeFileSync(file, 'something else altogether, and long enough\n')],
  ['damaged in its middle', flipped],
];

function flipped(file: string): void {
  const bytes = readFileSync(file);
  bytes[60] = (bytes[60] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Makes and closes a kept session of three turns with one message each. Also returns the path of the session's log. */
async function keptSession(strategy: Strategy, storage?: string) {
  const daemon = new InProcessDaemon(storage);
  const root = repository();
  const opening = { conversationId: 'c', strategy, retention: 'keep' } as const;
  const { session } = await daemon.open(root, opening);
  for (const word of ['one', 'two', 'three']) {
    write(root, { 'a.txt': `${word}\n` });
    await daemon.call('conversation/appendTranscript', { session, text: word });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  await daemon.close();
  const own = join(daemon.storage, session, 'checkpointd');
  return { root, opening, storage: daemon.storage, session, own, log: join(own, 'session.log') };
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  for (const [how, damage] of damages) {
    test(`${strategy}: if the log is ${how}, session/open fails and says what to do; with recover, checkpoints can be used`, async () => {
      const { root, opening, storage, session, own, log } = await keptSession(strategy);
      damage(log);
      const before = existsSync(log) ? readFileSync(log) : undefined;
      const daemon = new InProcessDaemon(storage);
      const refused = await failure(daemon.open(root, opening));
      assert.ok(['StoreCorrupt', 'DataCorrupt'].includes(refused.kind), refused.kind);
      assert.match(refused.message, 'recover: "conversation"');
      const opened = await daemon.open(root, { ...opening, recover: 'conversation' });
      assert.is(opened.session, session);
      assert.is(opened.resumed, true);
      assert.match(opened.warnings?.join(' ') ?? '', /conversation/);
      const { checkpoints } = await daemon.call('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1', '2', '3'],
      );
      if (before !== undefined && before.length > 30) {
        const aside = readdirSync(own).find((name) => name.startsWith('session.log.damaged-')) ?? '';
        assert.equal(readFileSync(join(own, aside)), before, 'what was damaged is kept');
      }
      await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard', scope: 'files' });
      assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\n');
      const lost = await failure(daemon.call('checkpoint/restore', { session, tag: '2', scope: 'both' }));
      assert.is(lost.kind, 'DataCorrupt', 'a conversation that is lost is not another one');
      await daemon.call('conversation/appendTranscript', { session, text: 'anew' });
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      await daemon.close();
      const next = new InProcessDaemon(storage);
      assert.is((await next.open(root, opening)).warnings, undefined, 'from then on all is well');
      const { lines } = await next.call('conversation/transcript', { session });
      assert.equal(lines, ['anew']);
      await next.close();
    });
  }
}

test('if the log is intact, the parameter `recover` of session/open has no effect', async () => {
  const { root, opening, storage, session, log } = await keptSession('shadow');
  const daemon = new InProcessDaemon(storage);
  const opened = await daemon.open(root, { ...opening, recover: 'conversation' });
  assert.is(opened.warnings, undefined);
  const { lines } = await daemon.call('conversation/transcript', { session });
  assert.equal(lines, ['one', 'two', 'three']);
  assert.ok(existsSync(log));
  await daemon.close();
});

test.run();
