// Breaks a restore half-way in this process, with the same effect as a kill. Afterwards the test can change the work
// tree and open the session again.
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { type Fault, installFault } from '../../src/base/seam.ts';
import type { Session } from '../../src/session/session.ts';
import type { SessionRig } from './session-rig.ts';

/** Returns a fault: the n-th step in the work tree fails, and every later call fails, too. */
export function breakAt(n: number): Fault {
  let steps = 0;
  return (call, target) => {
    if (!target.startsWith('/proc/self/fd/')) return;
    if (call === 'rename' || call === 'unlink' || call === 'link') steps += 1;
    if (steps >= n) throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
}

/**
 * Runs `restore`, breaks it at the n-th rename, link or unlink in the work tree, and abandons the session as a kill
 * does.
 */
export async function interrupt(
  rig: SessionRig,
  session: Session,
  n: number,
  restore: () => Promise<unknown>,
): Promise<void> {
  installFault(breakAt(n));
  try {
    await restore();
    assert.unreachable('the restore ended before it could be broken');
  } catch (error) {
    assert.is(error instanceof CheckpointdError ? error.kind : String(error), 'RestoreFailed');
  } finally {
    installFault(undefined);
  }
  assert.ok(session.hasUnfinishedRestore);
  await rig.sessions.close(session.id, 'abrupt');
}
