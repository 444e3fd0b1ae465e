// checkpointd list: the checkpoints of a session, oldest first.
import type { CliCommand } from '../command.ts';
import { sayCheckpoints } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';

export const list: CliCommand = {
  name: 'list',
  paged: true,
  summary: 'the checkpoints of the session, oldest first',
  run: async (task) => {
    const { head } = await task.ask('session/get', {});
    sayCheckpoints(await allCheckpoints(task), task.given, head);
    return 0;
  },
};
