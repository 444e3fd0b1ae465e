// Makes a kept session of strategy local, for tests that change the user's repository while no daemon is running.
import type { SessionOpenResult } from '../../../src/protocol/types.ts';
import type { SessionRig } from '../session-rig.ts';

export const anEntry = { user: { content: 'u' }, assistant: { content: 'a' } };

export function openLocal(rig: SessionRig): Promise<SessionOpenResult> {
  return rig.request('session/open', {
    workspace: rig.work,
    strategy: 'local',
    conversationId: 'c',
    retention: 'keep',
  });
}

/**
 * Makes and closes a session with two checkpoints and a message. The file `a` contains `one` in the first checkpoint
 * and `two` in the second. Returns the id of the session.
 */
export async function keptLocal(rig: SessionRig): Promise<string> {
  rig.write('a', 'one\n');
  const { session } = await openLocal(rig);
  await rig.request('conversation/append', { session, entry: anEntry });
  rig.write('a', 'two\n');
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  await rig.request('session/close', { session });
  return session;
}
