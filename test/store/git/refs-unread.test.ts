// Tests refs that cannot be read. Git itself skips an unreadable directory, and hangs at a FIFO. The daemon still opens
// the conversation, but refuses to delete the session. After a repair everything works.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { giveToPlainUser, plainUserRefusal } from '../../../scripts/torture/plain-user.ts';
import { installFault } from '../../../src/base/seam.ts';
import { asNobody, withRig } from '../../support/daemon-rig.ts';
import { failure } from '../../support/failures.ts';
import { git } from '../../support/git-oracle.ts';
import { type SessionRig, withSessions } from '../../support/session-rig.ts';
import { daemonEntry, failureOf } from '../../support/wire-client.ts';

type Strategy = 'shadow' | 'local';

const asked = (rig: SessionRig, strategy: Strategy) =>
  ({ workspace: rig.work, conversationId: 'c', strategy, retention: 'keep' }) as const;

/** Makes an open, kept session with checkpoints "0" and "1" and a message. */
async function opened(rig: SessionRig, strategy: Strategy): Promise<string> {
  rig.write('a', 'one\n');
  git(rig.work, 'add', '.');
  git(rig.work, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'one');
  git(rig.work, 'pack-refs', '--all');
  const { session } = await rig.request('session/open', asked(rig, strategy));
  await rig.request('conversation/append', {
    session,
    entry: { user: { content: 'u' }, assistant: { content: 'a' } },
  });
  rig.write('a', 'two\n');
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  return session;
}

/** Returns the directory that contains the tags of a session. */
const tagsOf = (rig: SessionRig, session: string, strategy: Strategy): string =>
  strategy === 'shadow'
    ? join(rig.storage, session, 'refs/tags')
    : join(rig.work, '.git/refs/checkpointd', session, 'tags');

const ours = (rig: SessionRig): string[] =>
  git(rig.work, 'for-each-ref', '--format=%(refname)', 'refs/checkpointd').split('\n').filter(Boolean);

/** Checks that only the conversation opens, and that everything works after the repair. */
async function opensWithout(
  rig: SessionRig,
  strategy: Strategy,
  said: RegExp,
  mend: () => void,
): Promise<void> {
  const { session, resumed, checkpoints } = await rig.request('session/open', asked(rig, strategy));
  assert.equal([resumed, checkpoints.enabled, checkpoints.reason], [true, false, 'RepositoryUnusable']);
  assert.match(checkpoints.message ?? '', said);
  assert.is((await rig.request('conversation/get', { session })).historyLength, 1);
  mend();
  assert.ok((await rig.request('checkpoint/init', { session })).checkpoints.enabled);
  const tags = (await rig.request('checkpoint/list', { session })).checkpoints.map(({ tag }) => tag);
  assert.equal(new Set(tags), new Set(['0', '1']));
}

for (const strategy of ['shadow', 'local'] as const)
  test(`${strategy}: if a ref is a FIFO, session/open reports its path and opens only the conversation`, () =>
    withSessions(async (rig) => {
      const session = await opened(rig, strategy);
      await rig.request('session/close', { session });
      const fifo = join(tagsOf(rig, session, strategy), '1');
      const ref = readFileSync(fifo);
      rmSync(fifo);
      execFileSync('mkfifo', [fifo]);
      if (strategy === 'local') {
        const error = await failure(rig.request('session/delete', { session }));
        assert.equal([error.kind, error.effects], ['StoreUnavailable', 'none']);
        assert.match(error.message, new RegExp(`${fifo}.*Remove it`));
      }
      await opensWithout(rig, strategy, new RegExp(`${fifo}.*Remove it`), () => {
        rmSync(fifo);
        writeFileSync(fifo, ref);
      });
    }));

test('local: if packed-refs is a FIFO or incomplete, session/open reports it and opens only the conversation', () =>
  withSessions(async (rig) => {
    const session = await opened(rig, 'local');
    const packed = join(rig.work, '.git/packed-refs');
    const before = readFileSync(packed);
    const mend = (): void => {
      rmSync(packed);
      writeFileSync(packed, before);
    };
    await rig.request('session/close', { session });
    rmSync(packed);
    execFileSync('mkfifo', [packed]);
    await opensWithout(rig, 'local', new RegExp(`${packed}.*Remove it`), mend);
    writeFileSync(packed, before.subarray(0, before.length - 10));
    const refused = await failure(rig.request('session/delete', { session }));
    assert.equal([refused.kind, refused.effects], ['StoreUnavailable', 'none']);
    assert.match(refused.message, new RegExp(`${packed}.*damaged.*from a copy`));
    await rig.request('session/close', { session });
    await opensWithout(rig, 'local', new RegExp(`${packed}.*damaged.*from a copy`), mend);
    assert.ok((await rig.request('session/delete', { session })).deleted);
    assert.equal(ours(rig), []);
  }));

for (const state of ['open', 'closed'] as const)
  test(`local: a session (${state}) cannot be deleted while its refs cannot be read`, () =>
    withSessions(async (rig) => {
      const session = await opened(rig, 'local');
      if (state === 'closed') await rig.request('session/close', { session });
      const before = ours(rig);
      const tags = tagsOf(rig, session, 'local');
      installFault((call, target) => {
        if (call === 'access' && target === tags)
          throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      });
      const error = await failure(rig.request('session/delete', { session })).finally(() =>
        installFault(undefined),
      );
      assert.equal([error.kind, error.effects], ['StoreUnavailable', 'none']);
      assert.match(error.message, new RegExp(`${tags}.*chmod`));
      assert.equal(ours(rig), before);
      assert.ok((await rig.request('session/delete', { session })).deleted);
      assert.equal(ours(rig), []);
    }));

test('local: deleting an open session also removes a garbled ref', () =>
  withSessions(async (rig) => {
    const session = await opened(rig, 'local');
    writeFileSync(join(tagsOf(rig, session, 'local'), '1'), '');
    const { deleted, warnings } = await rig.request('session/delete', { session });
    assert.equal([deleted, warnings], [true, undefined]);
    const left = readdirSync(join(rig.work, '.git/refs'), { recursive: true, encoding: 'utf8' });
    assert.equal(
      left.filter((name) => name.includes(session)),
      [],
    );
  }));

test('local: a daemon without privileges does not delete a session whose refs it cannot read', async () => {
  const refusal = plainUserRefusal(daemonEntry);
  if (refusal !== undefined) return console.log(`skipped: ${refusal}`);
  await withRig(async (rig) => {
    giveToPlainUser(rig.top);
    const client = await rig.start({ command: asNobody });
    const { session } = await rig.open(client, { strategy: 'local', retention: 'keep' });
    const refs = join(rig.work, '.git/refs/checkpointd', session);
    chmodSync(refs, 0);
    const refused = await failureOf(client.request('session/delete', { session }));
    assert.equal([refused.data?.kind, refused.data?.effects], ['StoreUnavailable', 'none']);
    assert.match(refused.message, refs);
    chmodSync(refs, 0o755);
    assert.ok((await client.request('session/delete', { session })).deleted);
    assert.not(existsSync(refs));
  });
});

test.run();
