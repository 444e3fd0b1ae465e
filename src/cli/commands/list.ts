// checkpointd list: the checkpoints of a session, oldest first.
import type { Checkpoint } from '../../protocol/types.ts';
import { type CliCommand, printed, type Task } from '../command.ts';
import { checkpointLine } from '../lines.ts';
import { say } from '../terminal.ts';

export const list: CliCommand = {
  name: 'list',
  paged: true,
  summary: 'the checkpoints of the session, oldest first',
  run: async (task) => {
    const checkpoints = await allCheckpoints(task);
    if (printed(task.given, { checkpoints })) return 0;
    if (checkpoints.length === 0) say('There are no checkpoints.');
    for (const checkpoint of checkpoints) say(checkpointLine(checkpoint));
    return 0;
  },
};

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
