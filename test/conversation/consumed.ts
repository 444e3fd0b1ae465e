import type { Conversation } from '../../src/conversation/conversation.ts';

/** Uses the pending message as a turn's checkpoint does: proposes, publishes, moves and records the message. */
export function consumed(conversation: Conversation): string | undefined {
  const taken = conversation.proposeConsumed();
  if (taken === undefined) return undefined;
  conversation.rewind(taken.head);
  conversation.recordHead();
  return taken.message;
}
