// Every system call of a restore fails once, with a real system error. The error must have a kind and a remedy. The
// work tree must not be a mixture of two states, and the next restore must be complete.
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

process.umask(0o022);

const codes = ['EIO', 'EACCES', 'EPERM', 'ENFILE', 'EMFILE', 'ENOMEM'];
const strict = { mode: 'hard', onConflict: 'overwrite', confirm: true } as const;
const contents = { 1: '1\n', 2: '2\n' } as const;

/** Runs one restore in which the n-th call fails. If the failure is permanent, all later calls fail, too. */
async function failing(rig: SessionRig, session: string, tag: string, n: number): Promise<unknown> {
  const code = codes[n % codes.length] ?? 'EIO';
  let calls = 0;
  let hit: string | undefined;
  installFault((call, target) => {
    calls += 1;
    if (calls !== n) return;
    hit = `${call} ${target}`;
    throw Object.assign(new Error(`${code}: injected`), { code });
  });
  try {
    await rig.request('checkpoint/restore', { session, tag, ...strict });
    return hit;
  } catch (error) {
    assert.instance(
      error,
      CheckpointdError,
      `${code} at call ${n}, ${hit}: ${String((error as Error).stack)}`,
    );
    assert.is.not((error as CheckpointdError).kind, 'InternalError');
    return hit;
  } finally {
    installFault(undefined);
  }
}

test('if a system call of a restore fails, the error has a kind, and the next restore is complete', () =>
  withSessions(async (rig) => {
    const { id: session } = await rig.open();
    for (const turn of [1, 2] as const) {
      for (const name of ['a', 'd/b', 'd/c']) rig.write(name, contents[turn]);
      if (turn === 1) rig.write('only/first', '1\n');
      else {
        rmSync(join(rig.work, 'only'), { recursive: true });
        rig.write('only', '2\n');
      }
      await rig.request('checkpoint/create', { session, kind: 'turn' });
    }
    let isHit = true;
    for (let n = 1; isHit; n += n < 40 ? 5 : 11) {
      const tag = (n % 2) + 1;
      isHit = (await failing(rig, session, String(tag), n)) !== undefined;
      const back = tag === 1 ? 2 : 1;
      const { failed } = await rig.request('checkpoint/restore', { session, tag: String(back), ...strict });
      assert.equal(failed, [], `after call ${n}`);
      for (const name of ['a', 'd/b', 'd/c']) assert.is(rig.read(name), contents[back], `after call ${n}`);
      assert.is(rig.read(back === 1 ? 'only/first' : 'only'), contents[back], `after call ${n}`);
    }
  }));

test('a restore that stops and cannot remove its note is reported as unfinished', () =>
  withSessions(async (rig) => {
    rig.write('a', 'one\n');
    const { id: session } = await rig.open();
    rig.write('a', 'two\n');
    chmodSync(join(rig.work, 'a'), 0o666); // with this umask, the restore has to set the mode of the new file
    installFault((call, target) => {
      if (call === 'fchmod' || call === 'chmod' || (call === 'rm' && target.endsWith('restore.json')))
        throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
    });
    const error = await rig
      .request('checkpoint/restore', { session, tag: '0', ...strict })
      .catch((thrown: unknown) => thrown)
      .finally(() => installFault(undefined));
    assert.instance(error, CheckpointdError);
    assert.equal(
      [(error as CheckpointdError).kind, (error as CheckpointdError).effects],
      ['RestoreFailed', 'unknown'],
    );
    // The next change finishes the restore, as the answer says. One undo then reverses the restore.
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.is(rig.read('a'), 'one\n');
    await rig.request('checkpoint/undo', { session });
    assert.is(rig.read('a'), 'two\n');
  }));

test.run();
