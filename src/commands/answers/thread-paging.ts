// Cursors over a conversation's lists. A cursor names the state that its listing began with, and states never
// change, so what is appended (or restored) meanwhile neither breaks a listing nor shows in it. Nothing is held
// between requests.
import { CheckpointdError } from '../../base/errors.ts';
import { textLength } from '../../conversation/client-object.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { ConversationRef } from '../../conversation/log/timeline.ts';
import type { Sequence } from '../../conversation/state/sequence.ts';
import type { ConversationState } from '../../conversation/state/state.ts';

export interface ThreadPage<T> {
  readonly items: readonly T[];
  /** Index of the first item. */
  readonly start: number;
  readonly nextCursor?: string;
}

const itemsDefault = 100;
/** A page ends early rather than grow into a frame that a client refuses; it always has one item. */
const pageCharsMax = 4 << 20;

/** Where a listing stands: the list it is of (a session's history, say), the state, and the next item. */
export interface ThreadCursor {
  readonly ref: ConversationRef;
  readonly start: number;
}

/** Reads a cursor of the list that `of` names. @throws CursorExpired for anything else */
export function parseCursor(cursor: string, of: string): ThreadCursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const [name, ref, start] = Array.isArray(parsed) && parsed.length === 3 ? (parsed as unknown[]) : [];
    const isPlace = [ref, start].every((place) => Number.isSafeInteger(place) && (place as number) >= 0);
    if (name === of && isPlace) return { ref: ref as number, start: start as number };
  } catch (error) {
    throw expired(error);
  }
  throw expired();
}

/** The page of a list that begins at the cursor's place. */
export function pageAt<T>(
  list: Sequence<T>,
  of: string,
  { ref, start }: ThreadCursor,
  limit: number | null | undefined,
): ThreadPage<T> {
  const first = Math.min(start, list.length);
  const last = Math.min(list.length, first + (limit ?? itemsDefault));
  const items: T[] = [];
  let chars = 0;
  for (let index = first; index < last && (index === first || chars < pageCharsMax); index += 1) {
    const item = list.at(index) as T;
    chars += textLength(item);
    items.push(item);
  }
  const next = first + items.length;
  if (next >= list.length || items.length === 0) return { items, start: first };
  const nextCursor = Buffer.from(JSON.stringify([of, ref, next])).toString('base64url');
  return { items, start: first, nextCursor };
}

/** The error for a cursor whose state is not known here any more. */
function expired(cause?: unknown): CheckpointdError {
  const message = 'This cursor no longer holds. Begin the listing again without a cursor.';
  return new CheckpointdError('CursorExpired', message, { cause });
}

/** The state that a listing is of. @throws CursorExpired, DataCorrupt when it is not known here any more */
export function stateAt(
  conversation: Conversation,
  ref: ConversationRef,
  isFromCursor: boolean,
): ConversationState {
  try {
    return conversation.at(ref);
  } catch (error) {
    if (isFromCursor && error instanceof CheckpointdError && error.kind === 'DataCorrupt')
      throw expired(error);
    throw error;
  }
}
