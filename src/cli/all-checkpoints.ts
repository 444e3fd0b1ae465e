// The checkpoints of a session, from as many pages as the wire makes of them.
import type { Checkpoint } from '../protocol/types.ts';
import type { Task } from './command.ts';

/** All pages of the listing. */
export async function allCheckpoints({ ask }: Pick<Task, 'ask'>): Promise<Checkpoint[]> {
  const all: Checkpoint[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask('checkpoint/list', { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.checkpoints);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}
