// checkpointd status: where the session stands.
import { type CliCommand, printed } from '../command.ts';
import { checkpointLine } from '../lines.ts';
import { fit, plain, say } from '../terminal.ts';

export const status: CliCommand = {
  name: 'status',
  summary: 'where the session stands: its work tree, its newest checkpoint, whether anything changed since',
  run: async ({ ask, given }) => {
    const result = await ask('session/get', {});
    if (printed(given, result)) return 0;
    const fate = result.retention === 'keep' ? 'kept' : 'ends with its clients';
    say(fit(`session      ${result.session} (${result.strategy}, ${fate})`));
    say(fit(`work tree    ${plain(result.workspace)}`));
    if (!result.checkpoints.enabled) {
      say(`checkpoints are not enabled: ${plain(result.checkpoints.message ?? '')}`);
      return 0;
    }
    say(`checkpoints  ${result.manager.checkpoints}`);
    if (result.head !== undefined) say(fit(`head         ${checkpointLine(result.head)}`));
    const { hasChanges } = await ask('checkpoint/hasChanges', {});
    say(fit(hasChanges ? 'The work tree has changed since.' : 'Nothing has changed since.'));
    return 0;
  },
};
