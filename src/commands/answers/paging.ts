// Cursors: an opaque place in a listing, bound to the state the listing began with. Holds nothing between requests:
// everything is in the cursor, so a client may keep one as long as it likes, and is told when it no longer holds.
import { CheckpointdError } from '../../base/errors.ts';

/** What a page is cut from; only the page is looked at. */
interface Sliceable<T> {
  readonly length: number;
  slice(start: number, end: number): readonly T[];
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/**
 * The next page of a list.
 *
 * `generation` names the state that the list was made from: a cursor of another one is refused, unless the list
 * only grew at its end since (`generation` then stays the same and `list` is longer).
 * @throws CursorExpired
 */
export function pageOf<T>(
  list: Sliceable<T>,
  generation: string,
  {
    cursor,
    limit,
  }: { readonly cursor?: string | null | undefined; readonly limit?: number | null | undefined },
  defaultLimit = 100,
): Page<T> {
  const at = cursor == null ? { start: 0, end: list.length } : parse(cursor, generation, list.length);
  const stop = Math.min(at.end, at.start + (limit ?? defaultLimit));
  const items = list.slice(at.start, stop);
  return stop < at.end ? { items, nextCursor: encode(generation, stop, at.end) } : { items };
}

function encode(generation: string, start: number, end: number): string {
  return Buffer.from(JSON.stringify([generation, start, end])).toString('base64url');
}

function parse(cursor: string, generation: string, length: number): { start: number; end: number } {
  const expired = new CheckpointdError(
    'CursorExpired',
    'This cursor no longer holds: what it lists has changed since. Begin the listing again without a cursor.',
  );
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (error) {
    throw Object.assign(expired, { cause: error });
  }
  if (!Array.isArray(parsed) || parsed.length !== 3) throw expired;
  const [of, start, end] = parsed as unknown[];
  if (of !== generation || !Number.isInteger(start) || !Number.isInteger(end)) throw expired;
  const place = { start: start as number, end: end as number };
  if (place.start < 0 || place.end > length || place.start > place.end) throw expired;
  return place;
}
