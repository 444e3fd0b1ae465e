// The list of a checkpoint's files has a hash of each content. With the hash a client can recognise contents that it
// already has.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`the hash of a file is git’s id of its content, or a SHA-256 if the strategy does not use git (O5, ${strategy})`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ 'a.txt': 'same\n', 'b.txt': 'same\n', 'gone.txt': 'gone\n' });
    const { session } = await daemon.open(root, { strategy });
    write(root, { 'a.txt': 'other\n' });
    rmSync(join(root, 'gone.txt'));
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    const hashes = async (tag: string, changedOnly = false): Promise<Record<string, string | undefined>> => {
      const { files } = await daemon.call('checkpoint/files', { session, tag, changedOnly });
      return Object.fromEntries(files.map(({ path, hash }) => [path, hash]));
    };
    const hashOf = (path: string, content: string): string =>
      strategy === 'sqlite'
        ? createHash('sha256').update(content).digest('hex')
        : git(root, 'hash-object', '--no-filters', path);
    const before = await hashes('0');
    assert.is(before['a.txt'], before['b.txt']);
    assert.is(before['b.txt'], hashOf('b.txt', 'same\n'));
    assert.equal(await hashes('1', true), { 'a.txt': hashOf('a.txt', 'other\n'), 'gone.txt': undefined });
    await daemon.close();
  });
}

test.run();
