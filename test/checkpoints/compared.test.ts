// If a checkpoint had to skip a path, this path counts neither as deleted nor as changed.
import { truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

type Strategy = 'shadow' | 'sqlite';
const limits = { maxFileBytes: 1000 };

/**
 * Makes a session whose `big.txt` and `deep/big.txt` were captured in checkpoint "0". Later captures skip both files as
 * too large.
 */
async function skipping(strategy: Strategy) {
  const daemon = new InProcessDaemon();
  const root = repository({
    'a.txt': 'a\n',
    'big.txt': 'one\n',
    'deep/big.txt': 'one\n',
    'deep/b.txt': 'b\n',
  });
  const { session } = await daemon.open(root, { strategy, limits });
  const grow = (): void => {
    for (const path of ['big.txt', 'deep/big.txt']) truncateSync(join(root, path), 2000);
  };
  const create = (more: object = {}) => daemon.call('checkpoint/create', { session, kind: 'turn', ...more });
  const changedIn = async (tag: string) => {
    const { files } = await daemon.call('checkpoint/files', { session, tag, changedOnly: true });
    return files.map(({ path, change }) => `${change} ${path}`);
  };
  const diff = async (from: string, to?: string) => {
    const both = { session, from, ...(to === undefined ? {} : { to }) };
    const { files, stats } = await daemon.call('checkpoint/diff', both);
    const { text } = await daemon.call('checkpoint/diff', { ...both, format: 'unified' });
    return { files: files.map(({ path, change }) => `${change} ${path}`), stats, text };
  };
  return { daemon, root, session, grow, create, changedIn, diff };
}

for (const strategy of ['shadow', 'sqlite'] as const) {
  test(`a file that has become too large counts as skipped, and never as deleted (${strategy})`, async () => {
    const { daemon, root, session, grow, create, changedIn, diff } = await skipping(strategy);
    grow();
    assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, false);
    assert.is((await create({ onlyIfChanged: true })).created, false);
    const none = { added: 0, modified: 0, deleted: 0 };
    assert.equal(await diff('0'), { files: [], stats: none, text: '' });
    write(root, { 'a.txt': 'changed\n' });
    assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, true);
    const { checkpoint, skipped } = await create();
    assert.equal(
      skipped.map(({ path }) => path),
      ['big.txt', 'deep/big.txt'],
    );
    assert.equal(checkpoint?.stats, { added: 0, modified: 1, deleted: 0 });
    assert.equal(await changedIn('1'), ['modified a.txt']);
    const { files, stats, text } = await diff('0', '1');
    assert.equal([files, stats], [['modified a.txt'], { added: 0, modified: 1, deleted: 0 }]);
    assert.not.match(text ?? '', /big/);
    assert.equal((await diff('0')).files, ['modified a.txt']);
    assert.equal(await daemon.call('checkpoint/stats', { session, from: '0', to: '1' }), {
      added: 0,
      modified: 1,
      deleted: 0,
    });
    await daemon.close();
  });

  test(`if a skipped path is captured again, it is compared with its last captured version (${strategy})`, async () => {
    const { daemon, root, session, grow, create, changedIn, diff } = await skipping(strategy);
    grow();
    await create();
    await create(); // skipped twice
    write(root, { 'big.txt': 'two\n', 'deep/big.txt': 'one\n' });
    assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, true);
    assert.equal((await diff('2')).files, ['modified big.txt']);
    const { checkpoint } = await create();
    assert.equal(checkpoint?.stats, { added: 0, modified: 1, deleted: 0 });
    assert.equal(await changedIn('3'), ['modified big.txt']);
    const { files, text } = await diff('2', '3');
    assert.equal(files, ['modified big.txt']);
    assert.match(text ?? '', /-one\n\+two\n/);
    assert.equal((await diff('3', '2')).files, ['modified big.txt'], 'and backwards');
    await daemon.close();
  });

  test(`if a skipped path disappears, it counts as deleted; if a path is captured for the first time, it counts as new (${strategy})`, async () => {
    const { daemon, root, grow, create, changedIn, diff } = await skipping(strategy);
    grow();
    write(root, { 'never.txt': 'x'.repeat(2000) });
    await create();
    for (const path of ['big.txt', 'deep/b.txt']) unlinkSync(join(root, path));
    write(root, { 'never.txt': 'small\n' });
    const { checkpoint } = await create();
    assert.equal(await changedIn('2'), ['added never.txt', 'deleted deep/b.txt']);
    assert.equal(checkpoint?.stats, { added: 1, modified: 0, deleted: 1 });
    assert.equal((await diff('0', '2')).files, ['deleted big.txt', 'deleted deep/b.txt', 'added never.txt']);
    await daemon.close();
  });
}

test.run();
