// Tests exports to the path of an existing file. In each test, an unfinished restore prevents the session from saving
// the file, or the path is no regular file.
import { execFileSync } from 'node:child_process';
import { lstatSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { breakAt } from '../support/interrupted-restore.ts';
import { withSessions } from '../support/session-rig.ts';
import { temporaryDirectory } from '../support/temporary.ts';

test('while a restore is unfinished, an export can write a new file, but cannot replace a file', () =>
  withSessions(async (rig) => {
    rig.write('a.txt', 'one\n');
    rig.write('b.txt', 'one\n');
    const { session } = await rig.request('session/open', { workspace: rig.work, conversationId: 'c' });
    rig.write('a.txt', 'two\n');
    rig.write('b.txt', 'two\n');
    const ended = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
      );
    installFault(breakAt(3));
    try {
      assert.is(await ended(rig.request('checkpoint/restore', { session, tag: '0' })), 'RestoreFailed');
      const overwrite = { session, path: 'a.txt', overwrite: true };
      assert.is(await ended(rig.request('conversation/export', overwrite)), 'PreconditionFailed');
      assert.is(await ended(rig.request('conversation/export', { session, path: 'new.json' })), 'done');
    } finally {
      installFault(undefined);
    }
    const overwrite = { session, path: 'a.txt', overwrite: true };
    assert.is(await ended(rig.request('conversation/export', overwrite)), 'done');
    assert.is(rig.read('b.txt'), 'one\n', 'it was finished first');
  }));

test('an export replaces a regular file, but never a link, a FIFO or a device', () =>
  withSessions(async (rig) => {
    rig.write('a.txt', 'one\n');
    const { session } = await rig.request('session/open', { workspace: rig.work, conversationId: 'c' });
    const outside = join(temporaryDirectory('outside'), 'fifo');
    execFileSync('mkfifo', [outside, join(rig.work, 'fifo')]);
    symlinkSync('a.txt', join(rig.work, 'link'));
    for (const path of ['link', outside, 'fifo', 'a.txt/below', join(rig.work, 'a.txt/below')]) {
      for (const overwrite of [true, false]) {
        const told = await rig.request('conversation/export', { session, path, overwrite }).then(
          () => 'done',
          (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
        );
        assert.is(told, 'InvalidParams', `${path} ${String(overwrite)}`);
      }
    }
    for (const path of [outside, join(rig.work, 'fifo')]) assert.ok(lstatSync(path).isFIFO(), path);
    assert.is(readlinkSync(join(rig.work, 'link')), 'a.txt');
    assert.is(rig.read('a.txt'), 'one\n');
  }));

test.run();
