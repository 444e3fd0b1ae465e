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
  const entries: LedgerEntry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const at = cursor === undefined ? {} : { cursor };
    const found = await useLink().ask('ledger/history', { session, ...refOf(file), ...at }, { signal });
    entries.push(...found.entries);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  const authors = new Set<string>();
  // A content that is in no checkpoint was replaced before the next checkpoint, or is newer than all checkpoints.
  let seq: number | undefined = Infinity;
  for (const { author, checkpoint } of entries.reverse()) {
    if (checkpoint !== undefined) seq = seqOf(checkpoint);
    if (seq !== undefined && seq > after && seq <= until) authors.add(words[author] ?? author);
  }
  return authors.size === 0 ? undefined : `by ${[...authors].sort().join(' and ')}`;
}
