import type { Conversation } from '../../src/conversation/conversation.ts';

/** What a turn's checkpoint does with the message: proposed, published, moved to, noted. */
export function consumed(conversation: Conversation): string | undefined {
  const taken = conversation.proposeConsumed();
  if (taken === undefined) return undefined;
  conversation.rewind(taken.head);
  conversation.recordHead();
  return taken.message;
}
