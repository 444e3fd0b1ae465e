// session/close: ends a client's share of a session, and the session when nobody else has it open. What is not to be
// kept goes then, where that loses nothing.
import { afterCommit } from '../../session/operations/after-commit.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand(
  'session/close',
  async ({ session, client, daemon: { sessions }, context }) => {
    sessions.openedBy(client, session.id); // it may have been ended while the key was looked up
    // From here on it is given up, whatever becomes of its files: the next start sees to what is left.
    const lost = 'The session is closed, but not all of it could be put away';
    const ended = await afterCommit(context, lost, () => sessions.closeFor(client, session.id));
    if (ended?.fate === 'removed') return { removed: true };
    return { removed: false, reason: ended?.because ?? 'failed' };
  },
  {
    // Closing a kept session can only come out one way.
    endsSession: ({ parts }) =>
      parts.marker.retention === 'session' ? undefined : { removed: false, reason: 'retention' },
  },
);
