// conversation/compact: a summary in place of the older history.
import { CheckpointdError } from '../../base/errors.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { checkLength, type EntryId } from '../../conversation/entry.ts';
import type * as Wire from '../../protocol/types.ts';
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/compact',
  ({ conversation, params, keyed }) => {
    checkRequest(conversation, params);
    const { summary, metadata, keep, keepFrom } = params;
    if (keep != null) checkKeep(conversation, keep);
    const kept = keepFrom == null ? (keep ?? 0) : (keepFrom as EntryId);
    return conversation.compact({ summary, metadata, keep: kept }, keyed);
  },
  asItIs,
  { check: ({ conversation, params }) => checkRequest(conversation, params) },
);

/** @throws InvalidParams, MessageTooLarge */
function checkRequest(
  { state }: Conversation,
  { summary, keep, keepFrom }: Pick<Wire.ConversationCompactParams, 'summary' | 'keep' | 'keepFrom'>,
): void {
  if (keep != null && keepFrom != null)
    throw new CheckpointdError('InvalidParams', 'Give either keep or keepFrom, not both.');
  checkLength(summary, state.limits.messageChars, 'summary');
}

/** A client that keeps more than there is has lost count, and would lose more by going on. @throws InvalidRange */
function checkKeep({ state }: Conversation, keep: number): void {
  const { length } = state.history;
  if (keep <= length) return;
  throw new CheckpointdError(
    'InvalidRange',
    `There are ${length} entries, so the last ${keep} cannot be kept. Give at most ${length}.`,
    { details: { keep, historyLength: length } },
  );
}
