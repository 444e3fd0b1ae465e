// The daemon does not read files that the user's git settings include. Therefore a FIFO among the included files cannot
// delay a request.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setLocalAside } from '../../../src/store/git/local.ts';
import { withSessions } from '../../support/session-rig.ts';

test('session/open, create and restore do not wait for a FIFO that the user’s git configuration includes', () =>
  withSessions(async (rig) => {
    execFileSync('mkfifo', [join(rig.work, '.git/included')]);
    appendFileSync(join(rig.work, '.git/config'), '[include]\n\tpath = included\n');
    rig.write('a', 'one\n');
    const opened = await rig.request('session/open', {
      workspace: rig.work,
      strategy: 'local',
      conversationId: 'c',
    });
    assert.ok(opened.checkpoints.enabled);
    const { session } = opened;
    rig.write('a', 'two\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.is(rig.read('a'), 'one\n');
  }));

test('if the git configuration of a store includes a FIFO, this store is moved aside, and a new store opens', () =>
  withSessions(async (rig) => {
    const opening = {
      workspace: rig.work,
      strategy: 'local',
      conversationId: 'c',
      retention: 'keep',
    } as const;
    rig.write('a', 'one\n');
    const { session } = await rig.request('session/open', opening);
    await rig.request('session/close', { session });
    execFileSync('mkfifo', [join(rig.work, '.git/included')]);
    appendFileSync(join(rig.work, '.git/config'), '[include]\n\tpath = included\n');
    const sessionDirectory = join(rig.storage, session);
    const to = join(sessionDirectory, 'checkpointd', 'damaged-1');
    mkdirSync(to);
    const refs = (): string[] => readdirSync(join(rig.work, '.git/refs/checkpointd', session)).sort();
    const before = refs();
    await setLocalAside(
      {
        session,
        sessionDirectory,
        storageDirectory: rig.storage,
        workTree: rig.work,
        conversationId: 'c',
        gitDirectory: join(rig.work, '.git'),
        durability: 'process',
      },
      to,
    );
    assert.equal(refs(), ['aside']);
    const aside = join(rig.work, '.git/refs/checkpointd', session, 'aside', 'damaged-1');
    assert.equal(readdirSync(aside).sort(), before);
    rmSync(join(sessionDirectory, 'checkpointd', 'published.log'));
    const again = await rig.request('session/open', opening);
    assert.is(again.base?.tag, '0');
    const { checkpoints } = await rig.request('checkpoint/list', { session });
    assert.is(checkpoints.length, 1);
  }));

test.run();
