// checkpointd list: the checkpoints of a session, oldest first.

import { type CliCommand, printed } from '../command.ts';
import { checkpointLine } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';
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
