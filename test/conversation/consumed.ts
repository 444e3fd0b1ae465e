import type { Conversation } from '../../src/conversation/conversation.ts';

/** Uses up the pending message as the checkpoint of a turn does: proposes, publishes, moves and records the message. */
export function consumed(conversation: Conversation): string | undefined {
  const taken = conversation.proposeConsumed();
  if (taken === undefined) return undefined;
  conversation.rewind(taken.head);
  conversation.recordHead();
  return taken.message;
}
