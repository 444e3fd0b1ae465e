// conversation/history: the exchanges by pages, of the present or of a checkpoint.
import { given } from '../../base/given.ts';
import type { EntryId } from '../../conversation/entry.ts';
import { positionOf } from '../../conversation/history.ts';
import { historyEntry } from '../answers/conversation-answer.ts';
import { pageAt, parseCursor, stateAt } from '../answers/thread-paging.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('conversation/history', ({ session, params }) => {
  const spoken = session.parts.conversation;
  const of = `history ${session.id}`;
  const cursor = params.cursor == null ? undefined : parseCursor(params.cursor, of);
  const record =
    params.tag == null ? undefined : session.requireCheckpoints().index.resolve(params.tag).record;
  const ref = cursor?.ref ?? record?.conversation ?? spoken.head;
  const state = stateAt(spoken, ref, cursor !== undefined);
  const from = params.from == null ? 0 : positionOf(state.history, params.from as EntryId);
  const page = pageAt(state.history, of, cursor ?? { ref, start: from }, params.limit);
  return {
    entries: page.items.map(historyEntry),
    start: page.start,
    historyLength: state.history.length,
    validHistoryRange: state.validRange,
    ...given({ nextCursor: page.nextCursor }),
  };
});
