// Adds a fourth strategy by the recipe in src/README.md. One entry in the table of strategies is enough. Sessions of
// the fourth strategy then work like all other sessions.
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { offerHere } from '../../src/rpc/capabilities.ts';
import { strategies } from '../../src/store/strategies.ts';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';
import { memoryDriver } from '../support/stores/memory-strategy.ts';
import { temporaryDirectory } from '../support/temporary.ts';

test.before(() => {
  strategies['memory'] = memoryDriver;
});
test.after(() => {
  delete strategies['memory'];
});

test('if a fourth strategy is added, the daemon offers this strategy with the description from its driver', () => {
  const { sessions } = offerHere().capabilities;
  assert.ok(typeof sessions === 'object' && 'strategies' in sessions);
  assert.equal(sessions.strategies.at(-1), {
    name: 'memory',
    available: true,
    retention: 'session',
    needsRepository: false,
    reason: undefined,
  });
});

test('all requests for checkpoints work in a session with an added fourth strategy', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const before = manifest(root);
  const opened = await daemon.open(root, { strategy: 'memory' });
  const { session } = opened;
  assert.equal(
    [opened.strategy, opened.retention, opened.checkpoints.enabled, opened.shadowRepoPath],
    ['memory', 'session', true, undefined],
  );
  write(root, { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
  const present = manifest(root);
  await daemon.call('checkpoint/create', { session, kind: 'turn', name: 'first' });
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag, name }) => [tag, name]),
    [
      ['0', undefined],
      ['1', 'first'],
    ],
  );
  const diff = await daemon.call('checkpoint/diff', { session, from: '0', to: '1', format: 'unified' });
  assert.equal(
    diff.files.map(({ path, change }) => [path, change]),
    [
      ['a.txt', 'modified'],
      ['new.txt', 'added'],
    ],
  );
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal(manifest(root), before);
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  assert.ok((await daemon.call('store/verify', { session })).ok);
  await daemon.call('store/gc', { session });
  await daemon.call('checkpoint/restore', { session, tag: 'first', mode: 'hard' });
  const cleaned = await daemon.call('checkpoint/clean', { session });
  assert.is(cleaned.path, undefined);
  await daemon.call('session/close', { session });
  await daemon.close();
});

test('with init "force", an added strategy works without a repository if its driver needs none', async () => {
  const daemon = new InProcessDaemon();
  const root = temporaryDirectory('plain');
  write(root, { 'a.txt': 'a\n' });
  const { checkpoints } = await daemon.open(root, { strategy: 'memory', init: 'force' });
  assert.ok(checkpoints.enabled);
  await daemon.close();
});

test('outside the stores, the protocol and the client, no code contains the name of a strategy', () => {
  const named = /'(shadow|local|sqlite)'/;
  const source = new URL('../../../src/', import.meta.url);
  const all = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const above = all.filter((file) => !/^(store|protocol|client)\//.test(file));
  assert.ok(above.length > 100);
  for (const file of above) assert.not.match(readFileSync(new URL(file, source), 'utf8'), named, file);
});

test.run();
