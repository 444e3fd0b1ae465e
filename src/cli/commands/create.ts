// checkpointd create: makes a checkpoint of the current work tree.
import { type CliCommand, printed } from '../command.ts';
import { checkpointLine, pathCount } from '../lines.ts';
import { plain, say } from '../terminal.ts';

export const create: CliCommand = {
  name: 'create',
  summary: 'make a checkpoint of the work tree; start a session if the directory has none',
  options: [
    ['-m, --message <text>', 'describe the checkpoint'],
    ['--name <name>', 'give the checkpoint a name, which later commands accept like a tag'],
    [
      '--allow-protected',
      'allow a session in a protected place: the home directory, its standard folders, or the root',
    ],
  ],
  excess: 'Put the message after -m: checkpointd create -m "my message"',
  makesSession: true,
  run: async ({ ask, given, options: { message, name } }) => {
    const result = await ask('checkpoint/create', {
      kind: 'turn',
      ...(typeof message === 'string' ? { message } : {}),
      ...(typeof name === 'string' ? { name } : {}),
    });
    if (printed(given, result)) return 0;
    say(checkpointLine(result.checkpoint));
    if (result.skipped.length > 0)
      say(
        `The checkpoint leaves out ${pathCount(result.skipped.length)}. "checkpointd show" lists these paths.`,
      );
    for (const { path } of result.possiblyTorn ?? [])
      say(
        `A program wrote to the database ${plain(path)} during the capture. The copy of the database in the checkpoint may be inconsistent.`,
      );
    return 0;
  },
};
