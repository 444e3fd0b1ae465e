// checkpointd complete-tags: what a shell offers where a checkpoint may stand. Not in the help: the scripts of
// `checkpointd completion` run it.

import type { CliCommand } from '../command.ts';
import { allCheckpoints } from '../pages.ts';
import { say } from '../terminal.ts';

/** A shell may expand what it is given; whatever could mean something to it is left out. */
const harmless = /^[\w.+@:-]+$/;

export const completeTags: CliCommand = {
  name: 'complete-tags',
  summary: 'tags and names, for shells',
  hidden: true,
  run: async (task) => {
    const words = (await allCheckpoints(task)).flatMap(({ tag, name }) => [tag, name]);
    for (const word of words) if (word !== undefined && harmless.test(word)) say(word);
    return 0;
  },
};
