// A client chooses a strategy only by its name in session/open. A client sends all other requests in the same form for
// every strategy. The suite in test/store checks what each store promises.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies, strategyNamed } from '../../src/store/strategies.ts';
import { failure } from '../support/failures.ts';
import { git, InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const names = ['shadow', 'local', 'sqlite'];

test('each strategy has one entry in the table of drivers, under its own name (R1 R2)', () => {
  assert.equal(Object.keys(strategies), names);
  for (const name of names) {
    const driver = strategyNamed(name);
    assert.is(driver.name, name);
    assert.is(driver.retention, name === 'shadow' ? 'session' : 'keep', 'shadow dies with its session');
    assert.is(driver.needsRepository, name === 'local');
  }
});

test('by default, a session of shadow is removed at its end, and sessions of local and sqlite are kept (Q47)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  for (const strategy of names)
    for (const retention of [undefined, 'session', 'keep'] as const) {
      const asked = {
        strategy,
        conversationId: `${retention}`,
        ...(retention === undefined ? {} : { retention }),
      };
      const { session } = await daemon.open(root, asked);
      const { removed } = await daemon.call('session/close', { session });
      const fate = retention ?? (strategy === 'shadow' ? 'session' : 'keep');
      assert.is(removed, fate === 'session', `${strategy} ${retention}`);
    }
  await daemon.close();
});

test('session/open refuses an unknown strategy, lists the known strategies, and creates nothing (R2)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  for (const strategy of ['tape', '__proto__', 'constructor', 'Shadow', '']) {
    const refused = await failure(daemon.open(root, { strategy }));
    assert.is(refused.kind, 'StrategyUnavailable');
    assert.match(refused.message, /shadow, local, sqlite/);
  }
  assert.not.ok(existsSync(daemon.storage));
  await daemon.close();
});

test('strategy local needs a repository, and only checkpoint/init makes a new one (R8)', async () => {
  const daemon = new InProcessDaemon();
  const root = temporaryDirectory('plain');
  const missing = await failure(daemon.open(join(root, 'missing'), { strategy: 'local' }));
  assert.is(missing.kind, 'WorkTreeMissing');
  write(root, { 'a.txt': 'a\n' });
  const opened = await daemon.open(root, { strategy: 'local', conversationId: 'c' });
  assert.equal([opened.checkpoints.enabled, opened.checkpoints.reason], [false, 'NotARepository']);
  assert.match(opened.checkpoints.message ?? '', /git init|checkpoint\/init/);
  assert.not.ok(existsSync(join(root, '.git')));
  await daemon.call('checkpoint/init', { session: opened.session });
  assert.is(git(root, 'rev-parse', '--git-dir'), '.git', 'asked for, it is made');
  const refs = git(root, 'for-each-ref', '--format=%(refname) %(authorname)').split('\n');
  assert.ok(
    refs.every((ref) => ref.startsWith('refs/checkpointd/')) && refs.some((ref) => ref.endsWith(' Q')),
  );
  assert.not.match(git(root, 'config', '--list', '--local'), /checkpointd|^user\./m);
  write(root, { 'a.txt': 'b\n' });
  await daemon.call('checkpoint/create', { session: opened.session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session: opened.session, tag: '0', mode: 'hard' });
  assert.is(manifest(root)['a.txt']?.slice(0, 4), '644 ');
  await daemon.close();
});

test('deleting an open or closed session removes exactly the hidden refs of this session (R8)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const refs = (): string[] =>
    git(root, 'for-each-ref', '--format=%(refname)', 'refs/checkpointd').split('\n');
  const kept = await daemon.open(root, { strategy: 'local', conversationId: 'kept' });
  const open = await daemon.open(root, { strategy: 'local', conversationId: 'open' });
  const stays = await daemon.open(root, { strategy: 'local', conversationId: 'stays' });
  await daemon.call('session/close', { session: kept.session });
  assert.ok(refs().some((ref) => ref.includes(kept.session)));
  await daemon.call('session/delete', { session: kept.session });
  await daemon.call('session/delete', { session: open.session });
  assert.ok(refs().length > 0 && refs().every((ref) => ref.includes(stays.session)), refs().join('\n'));
  await daemon.close();
});

test.run();
