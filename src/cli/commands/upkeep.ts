// checkpointd verify and gc: whether everything is readable, and the space that nothing needs.
import { type CliCommand, exits, printed } from '../command.ts';
import { plain, say } from '../terminal.ts';

export const verify: CliCommand = {
  name: 'verify',
  summary: 'read everything that the session keeps, and name what is damaged',
  run: async ({ ask, given }) => {
    const result = await ask('store/verify', {});
    if (!printed(given, result)) {
      for (const problem of result.problems) say(plain(JSON.stringify(problem)));
      say(result.ok ? `All is well: ${result.checked} looked at.` : `${result.problems.length} damaged.`);
    }
    return result.ok ? 0 : exits.failed;
  },
};

export const gc: CliCommand = {
  name: 'gc',
  summary: 'free the space that no checkpoint needs',
  run: async ({ ask, given }) => {
    const result = await ask('store/gc', {});
    if (!printed(given, result)) say(`Freed ${result.bytesFreed} bytes.`);
    return 0;
  },
};
