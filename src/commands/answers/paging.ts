// Makes and reads cursors. A cursor is an opaque position in a listing, and belongs to the state that the list had when
// the listing began. The cursor contains everything that the daemon needs for the next page, so the daemon keeps
// nothing between requests. A client that uses an outdated cursor gets an error.
import { CheckpointdError } from '../../base/errors.ts';

/** A list that is read page by page. Only the items of the requested page are read. */
interface Sliceable<T> {
  readonly length: number;
  slice(start: number, end: number): readonly T[];
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

/**
 * Returns the next page of a list.
 *
 * `generation` names the state of the list. Refuses a cursor from another state. While a list only grows at its end,
 * its `generation` and its cursors stay valid.
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
  return stop < at.end ? { items, nextCursor: cursorOf(generation, [stop, at.end]) } : { items };
}

function parse(cursor: string, generation: string, length: number): { start: number; end: number } {
  const [start, end] = cursorPlace(cursor, generation);
  if (end > length || start > end) throw expired();
  return { start, end };
}

/** Returns a cursor, which contains the name of the list and two numbers. */
export function cursorOf(of: string, place: readonly [number, number]): string {
  return Buffer.from(JSON.stringify([of, ...place])).toString('base64url');
}

/** Parses a cursor for the list named `of`. @throws CursorExpired for any other text */
export function cursorPlace(cursor: string, of: string): readonly [number, number] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (error) {
    throw expired(error);
  }
  const [name, ...place] = Array.isArray(parsed) && parsed.length === 3 ? (parsed as unknown[]) : [];
  const isPlace = place.every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
  if (name !== of || !isPlace) throw expired();
  return [place[0] as number, place[1] as number];
}

/** Returns the error for a cursor that belongs to another list, or to a state that the daemon no longer has. */
export function expired(cause?: unknown): CheckpointdError {
  const message =
    'This cursor is no longer valid, because the list has changed. Begin the list again without a cursor.';
  return new CheckpointdError('CursorExpired', message, { cause });
}
