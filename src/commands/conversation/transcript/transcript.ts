// conversation/transcript: its lines by pages.
import { given } from '../../../base/given.ts';
import { pageAt, parseCursor, stateAt } from '../../answers/thread-paging.ts';
import { defineCommand } from '../../command.ts';

export const command = defineCommand('conversation/transcript', ({ session, params }) => {
  const spoken = session.parts.conversation;
  const of = `transcript ${session.id}`;
  const cursor = params.cursor == null ? { ref: spoken.head, start: 0 } : parseCursor(params.cursor, of);
  const state = stateAt(spoken, cursor.ref, params.cursor != null);
  const page = pageAt(state.transcript, of, cursor, params.limit);
  return {
    lines: page.items,
    start: page.start,
    transcriptLength: state.transcript.length,
    ...given({ nextCursor: page.nextCursor }),
  };
});
