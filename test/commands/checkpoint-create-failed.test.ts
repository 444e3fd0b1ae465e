// Tests that a failing create changes nothing, and that the pending message stays for the next turn.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { installFault } from '../../src/base/seam.ts';
import { toWireError } from '../../src/rpc/error-response.ts';
import { breakAt } from '../support/interrupted-restore.ts';
import { withSessions } from '../support/session-rig.ts';

test('if a create fails before its checkpoint is published, the next create uses the pending message, even after a restart', () =>
  withSessions(async (rig) => {
    rig.settings = { retention: 'keep' };
    const session = await rig.open();
    const { id } = session;
    await rig.request('conversation/setNextMessage', {
      session: id,
      message: { content: 'tidy up the parser' },
      lock: true,
    });
    const { conversation } = session.parts;
    assert.is(conversation.state.pendingUserMessage, 'tidy up the parser');
    rig.write('a', 'one\n');
    const { store } = session.requireCheckpoints();
    const publish = store.publish.bind(store);
    store.publish = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    let failure: unknown;
    try {
      await rig.request('checkpoint/create', { session: id, kind: 'turn' });
    } catch (error) {
      failure = error;
    }
    store.publish = publish;
    assert.ok(failure instanceof Error, 'it failed');
    assert.is(conversation.state.pendingUserMessage, 'tidy up the parser');
    assert.ok(conversation.state.messageLocked);
    await rig.sessions.close(id, 'abrupt');
    const again = await rig.open();
    assert.is(again.parts.conversation.state.pendingUserMessage, 'tidy up the parser');
    const { checkpoint } = await rig.request('checkpoint/create', { session: id, kind: 'turn' });
    assert.is(checkpoint.description, 'tidy up the parser');
    assert.is(again.parts.conversation.state.pendingUserMessage, undefined);
  }));

test('if the disk is full during a create, or a restore stops, the error says how to continue (Q40)', () =>
  withSessions(async (rig) => {
    const { id: session } = await rig.open();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) rig.write(name, 'one\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) rig.write(name, 'two\n');
    installFault((_, target) => {
      if (target.includes('/objects/')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    const full = await failed(rig.request('checkpoint/create', { session, kind: 'turn' }));
    assert.is(full.kind, 'NoSpace');
    assert.match(full.message, /[Ff]ree some space/);
    installFault(breakAt(5));
    const stopped = await failed(rig.request('checkpoint/restore', { session, tag: '1', mode: 'hard' }));
    assert.is(stopped.kind, 'RestoreFailed');
    assert.match(stopped.message, /next (change|request)|work tree/);
  }));

/** Settings of the user's repository. Each of these settings prevents git from making a commit. */
const refusing = {
  'a signer that fails': '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n',
  'no identity': '[user]\n\tuseConfigOnly = true\n',
  'a hook that refuses': '[core]\n\thooksPath = refusing\n',
  'an impossible value': '[core]\n\tcompression = 99\n',
  'a version of the future': '[core]\n\trepositoryFormatVersion = 7\n',
};
const identity = { GIT_COMMITTER_NAME: 'U', GIT_COMMITTER_EMAIL: 'u@example.com' };

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: a create or a restore succeeds even if the settings make git refuse to commit (Q40)`, () =>
    withSessions(async (rig) => {
      rig.write('a', 'one\n');
      rig.write('.git/refusing/reference-transaction', '#!/bin/sh\nexit 1\n');
      chmodSync(join(rig.work, '.git/refusing/reference-transaction'), 0o755);
      const config = join(rig.work, '.git/config');
      const usual = readFileSync(config, 'utf8');
      const { session } = await rig.request('session/open', {
        workspace: rig.work,
        strategy,
        conversationId: 'c',
      });
      for (const [name, settings] of Object.entries(refusing)) {
        writeFileSync(config, usual + settings.replace('refusing', join(rig.work, '.git/refusing')));
        const env = {
          PATH: process.env.PATH,
          HOME: '/nonexistent',
          ...(name === 'no identity' ? {} : identity),
        };
        const author = name === 'no identity' ? [] : ['--author=U <u@example.com>'];
        const words = ['commit', '--allow-empty', '-m', 'm', ...author];
        assert.is.not(spawnSync('git', words, { cwd: rig.work, env }).status, 0, `git refuses: ${name}`);
        rig.write('a', `${name}\n`);
        const { checkpoint } = await rig.request('checkpoint/create', { session, kind: 'turn' });
        await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
        assert.is(rig.read('a'), 'one\n', name);
        await rig.request('checkpoint/restore', { session, tag: checkpoint.id, mode: 'hard' });
        assert.is(rig.read('a'), `${name}\n`);
      }
    }));
}

test('local: if git cannot read the settings, checkpoints are disabled until the user corrects the settings (Q40)', () =>
  withSessions(async (rig) => {
    const config = join(rig.work, '.git/config');
    const usual = readFileSync(config, 'utf8');
    appendFileSync(config, '[core\n');
    const options = { workspace: rig.work, strategy: 'local', conversationId: 'c' } as const;
    const { session, checkpoints } = await rig.request('session/open', options);
    assert.is(checkpoints.enabled, false);
    assert.is(checkpoints.reason, 'RepositoryUnusable');
    const refused = await failed(rig.request('checkpoint/create', { session, kind: 'turn' }));
    assert.is(refused.kind, 'CheckpointsDisabled');
    assert.ok(refused.message.includes(`line ${usual.split('\n').length} of ${config}`), refused.message);
    writeFileSync(config, usual);
    await rig.request('checkpoint/init', { session });
    await rig.request('checkpoint/create', { session, kind: 'turn' });
  }));

/** Returns the failure in the form that a client gets. */
async function failed(
  request: Promise<unknown>,
): Promise<{ readonly kind: string; readonly message: string }> {
  try {
    await request;
  } catch (error) {
    const { message, data } = toWireError(error, { method: 'm', mutates: true, log: silentLog });
    return { kind: data.kind, message };
  } finally {
    installFault(undefined);
  }
  throw new Error('it did not fail');
}

test.run();
