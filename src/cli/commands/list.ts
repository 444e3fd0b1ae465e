// checkpointd list: lists the checkpoints of a session, oldest first. checkpointd complete-tags: lists the
// tags for shell completion. `complete-tags` is not in the help, because only the scripts of `checkpointd
// completion` run it.
import type { Checkpoint } from '../../protocol/types.ts';
import type { Ask, CliCommand, Given } from '../command.ts';
import { sayCheckpoints, sayTags } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';

/**
 * A command in two steps: `look` sends all requests, and then `tell` prints all lines. The fast path (plain-command.ts)
 * can therefore fail without having printed a line.
 */
export interface CheckpointListing extends CliCommand {
  readonly request: (ask: Ask) => Promise<Listed>;
  readonly print: (listed: Listed, given: Given) => void;
}

interface Listed {
  readonly checkpoints: readonly Checkpoint[];
  readonly head?: Checkpoint | undefined;
}

function listing(command: Omit<CheckpointListing, 'run'>): CheckpointListing {
  const { request, print } = command;
  return {
    ...command,
    run: async ({ ask, given }) => {
      print(await request(ask), given);
      return 0;
    },
  };
}

export const list = listing({
  name: 'list',
  reads: true,
  paged: true,
  summary: 'list the checkpoints of the session, oldest first',
  request: async (ask) => {
    const [{ head }, checkpoints] = await Promise.all([ask('session/get', {}), allCheckpoints({ ask })]);
    return { checkpoints, head };
  },
  print: ({ checkpoints, head }, given) => sayCheckpoints(checkpoints, given, head),
});

export const completeTags = listing({
  name: 'complete-tags',
  reads: true,
  summary: 'print tags and names for shell completion',
  hidden: true,
  withoutJson: true,
  request: async (ask) => ({ checkpoints: await allCheckpoints({ ask }) }),
  print: ({ checkpoints }) => sayTags(checkpoints),
});
