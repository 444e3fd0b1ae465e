// checkpointd complete-tags: what a shell offers where a checkpoint may stand. Not in the help: the scripts of
// `checkpointd completion` run it.
import type { CliCommand } from '../command.ts';
import { sayTags } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';

export const completeTags: CliCommand = {
  name: 'complete-tags',
  summary: 'tags and names, for shells',
  hidden: true,
  withoutJson: true,
  run: async (task) => {
    sayTags(await allCheckpoints(task));
    return 0;
  },
};
