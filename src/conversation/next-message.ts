// What the user will send next, as a client gives it. An empty message gets a text in its place, because a model refuses
// one without (C37). Checks only; keeping it is the conversation's.
import { checkUser, textOf, type UserMessage } from './entry.ts';
import type { ConversationLimits } from './limits.ts';

/** The message with what had to be done to it; none for null and undefined. @throws InvalidParams, MessageTooLarge */
export function nextMessageFrom(
  given: unknown,
  limits: ConversationLimits,
): { message: UserMessage | undefined; warnings: string[] } {
  if (given === undefined || given === null) return { message: undefined, warnings: [] };
  const asked = checkUser(typeof given === 'string' ? { content: given } : given, 'message', limits);
  const isEmpty = textOf(asked.content) === '' && (asked.toolResults ?? []).length === 0;
  if (!isEmpty) return { message: asked, warnings: [] };
  const warnings = ['The message was empty; "Empty prompt" stands in its place.'];
  return { message: { ...asked, content: 'Empty prompt' }, warnings };
}
