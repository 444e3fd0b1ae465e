// session/list over a storage in which something is damaged.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';

test('one session directory that cannot be read leaves the others in the list', async () => {
  const house = new InProcessDaemon();
  const root = repository();
  const damaged = ['a', 'b'].map((conversationId) => house.open(root, { conversationId, strategy: 'local' }));
  const [one, two] = await Promise.all(damaged);
  const healthy = await house.open(root, { conversationId: 'c', strategy: 'local' });
  for (const opened of [one, two]) await house.call('session/close', { session: opened?.session ?? '' });
  for (const [opened, name] of [
    [one, 'owner.json'],
    [two, 'session.json'],
  ] as const) {
    const file = join(house.storage, opened?.session ?? '', 'checkpointd', name);
    rmSync(file);
    mkdirSync(file);
  }
  const { sessions, warnings = [] } = await house.call('session/list', {});
  assert.equal(
    sessions.map(({ session }) => session),
    [healthy.session],
  );
  assert.is(warnings.length, 1);
  assert.match(warnings.join(), `${one?.session}, which cannot be read`);
  await house.close();
});

test('a session whose marker says something else than was written is named, and mended by its opening', async () => {
  const house = new InProcessDaemon();
  const root = repository();
  const open = { conversationId: 'a', strategy: 'local', retention: 'keep' } as const;
  const { session } = await house.open(root, open);
  await house.call('checkpoint/create', { session, kind: 'turn' });
  await house.call('session/close', { session });
  const marker = join(house.storage, session, 'checkpointd', 'session.json');
  const text = readFileSync(marker, 'utf8');
  writeFileSync(marker, text.replace('"conversationId": "a"', '"conversationId": "c"'));
  const { sessions, warnings = [] } = await house.call('session/list', {});
  assert.equal(sessions, []);
  assert.match(warnings.join(), `${session}, whose session.json is damaged`);
  const again = await house.open(root, open);
  assert.is(again.session, session);
  assert.match((again.warnings ?? []).join(), 'session.json');
  const listed = await house.call('session/list', {});
  assert.equal(
    listed.sessions.map(({ conversationId }) => conversationId),
    ['a'],
  );
  assert.is(listed.warnings, undefined);
  await house.close();
});

test('a marker of an earlier version, which has no check sum, is believed', async () => {
  const house = new InProcessDaemon();
  const root = repository();
  const open = { conversationId: 'a', strategy: 'local', retention: 'keep' } as const;
  const { session } = await house.open(root, open);
  await house.call('session/close', { session });
  const marker = join(house.storage, session, 'checkpointd', 'session.json');
  const { sum, ...earlier } = JSON.parse(readFileSync(marker, 'utf8')) as Record<string, unknown>;
  assert.type(sum, 'string');
  writeFileSync(marker, JSON.stringify(earlier));
  assert.is((await house.call('session/list', {})).sessions.length, 1);
  assert.is((await house.open(root, open)).warnings, undefined);
  await house.close();
});

test.run();
