// Calls session/list on a storage with damaged sessions.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';

test('session/list still lists all other sessions if one session directory is unreadable', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const damaged = ['a', 'b'].map((conversationId) =>
    daemon.open(root, { conversationId, strategy: 'local' }),
  );
  const [one, two] = await Promise.all(damaged);
  const healthy = await daemon.open(root, { conversationId: 'c', strategy: 'local' });
  for (const opened of [one, two]) await daemon.call('session/close', { session: opened?.session ?? '' });
  for (const [opened, name] of [
    [one, 'owner.json'],
    [two, 'session.json'],
  ] as const) {
    const file = join(daemon.storage, opened?.session ?? '', 'checkpointd', name);
    rmSync(file);
    mkdirSync(file);
  }
  const { sessions, warnings = [] } = await daemon.call('session/list', {});
  assert.equal(
    sessions.map(({ session }) => session),
    [healthy.session],
  );
  assert.is(warnings.length, 1);
  assert.match(warnings.join(), `${one?.session}, which cannot be read`);
  await daemon.close();
});

test('session/list reports a session with a damaged session.json, and opening the session repairs this file', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const open = { conversationId: 'a', strategy: 'local', retention: 'keep' } as const;
  const { session } = await daemon.open(root, open);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('session/close', { session });
  const marker = join(daemon.storage, session, 'checkpointd', 'session.json');
  const text = readFileSync(marker, 'utf8');
  writeFileSync(marker, text.replace('"conversationId": "a"', '"conversationId": "c"'));
  const { sessions, warnings = [] } = await daemon.call('session/list', {});
  assert.equal(sessions, []);
  assert.match(warnings.join(), `${session}, whose session.json is damaged`);
  const again = await daemon.open(root, open);
  assert.is(again.session, session);
  assert.match((again.warnings ?? []).join(), 'session.json');
  const listed = await daemon.call('session/list', {});
  assert.equal(
    listed.sessions.map(({ conversationId }) => conversationId),
    ['a'],
  );
  assert.is(listed.warnings, undefined);
  await daemon.close();
});

test('a session.json of an earlier version is accepted without a checksum', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const open = { conversationId: 'a', strategy: 'local', retention: 'keep' } as const;
  const { session } = await daemon.open(root, open);
  await daemon.call('session/close', { session });
  const marker = join(daemon.storage, session, 'checkpointd', 'session.json');
  const { sum, ...earlier } = JSON.parse(readFileSync(marker, 'utf8')) as Record<string, unknown>;
  assert.type(sum, 'string');
  writeFileSync(marker, JSON.stringify(earlier));
  assert.is((await daemon.call('session/list', {})).sessions.length, 1);
  assert.is((await daemon.open(root, open)).warnings, undefined);
  await daemon.close();
});

test.run();
