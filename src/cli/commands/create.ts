// checkpointd create: a checkpoint of the work tree as it is.
import { type CliCommand, printed } from '../command.ts';
import { checkpointLine } from '../lines.ts';
import { plain, say } from '../terminal.ts';

export const create: CliCommand = {
  name: 'create',
  summary: 'a checkpoint of the work tree as it is; makes a kept session where there is none',
  options: [
    ['-m, --message <text>', 'what it is of'],
    ['--name <name>', 'a name for it, which later commands take like a tag'],
    [
      '--allow-protected',
      'begin a session in the home directory, in what it holds for all, or in the root, too',
    ],
  ],
  excess: 'A message stands behind -m: checkpointd create -m "my message"',
  makesSession: true,
  run: async ({ ask, given, options: { message, name } }) => {
    const result = await ask('checkpoint/create', {
      kind: 'turn',
      ...(typeof message === 'string' ? { message } : {}),
      ...(typeof name === 'string' ? { name } : {}),
    });
    if (printed(given, result)) return 0;
    say(checkpointLine(result.checkpoint));
    if (result.skipped.length > 0) say(`Left out: ${result.skipped.length} (checkpointd show lists them)`);
    for (const { path } of result.possiblyTorn ?? [])
      say(`Possibly torn: ${plain(path)}, a database that a program wrote to during the capture`);
    return 0;
  },
};
