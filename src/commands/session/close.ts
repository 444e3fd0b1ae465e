// session/close: ends a session that is open here. What is not to be kept goes, where that loses nothing.
import { defineCommand } from '../command.ts';

export const command = defineCommand(
  'session/close',
  async ({ session, daemon }) => {
    const { fate } = await daemon.sessions.close(session.id);
    return { removed: fate === 'removed' };
  },
  {
    // Closing a kept session can only come out one way.
    endsSession: ({ parts }) => (parts.marker.retention === 'session' ? undefined : { removed: false }),
  },
);
