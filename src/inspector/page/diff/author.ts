// Finds the authors of a file's changes between two states, if the ledger knows the authors.
import type { LedgerEntry, PathRef } from '../../../protocol/types.ts';
import { useLink } from '../state/link.ts';
import { useTimeline } from '../state/timeline.ts';
import { refOf, type Sides } from './contents.ts';

const pagesMax = 10;

const words: Readonly<Record<string, string>> = {
  agent: 'the agent',
  session: 'another session',
  user: 'the user',
};

/**
 * Returns a text such as `by the agent and the user`. Returns undefined when the ledger has no change between the two
 * states.
 */
export async function authorsOf(
  { session, from, to }: Sides,
  file: PathRef,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { byId } = useTimeline();
  const seqOf = (id: string | undefined): number | undefined =>
    id === undefined ? undefined : byId.get(id)?.seq;
  const [after, until] = [seqOf(from) ?? -1, seqOf(to) ?? Infinity];
  const isBetween = ({ checkpoint }: LedgerEntry): boolean => {
    // A change that no checkpoint contains yet is part of the current state.
    const seq = checkpoint === undefined ? Infinity : seqOf(checkpoint);
    return seq !== undefined && seq > after && seq <= until;
  };
  const authors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const at = cursor === undefined ? {} : { cursor };
    const wanted = { session, ...refOf(file), ...at };
    const { entries, nextCursor } = await useLink().ask('ledger/history', wanted, { signal });
    for (const each of entries) if (isBetween(each)) authors.add(words[each.author] ?? each.author);
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return authors.size === 0 ? undefined : `by ${[...authors].sort().join(' and ')}`;
}
