import type { Conversation } from '../../src/conversation/conversation.ts';

/**
 * Consumes the pending message in the same steps as the checkpoint of a turn: proposes, publishes, moves and records
 * the message.
 */
export function consumed(conversation: Conversation): string | undefined {
  const taken = conversation.proposeConsumed();
  if (taken === undefined) return undefined;
  conversation.rewind(taken.head);
  conversation.recordHead();
  return taken.message;
}
