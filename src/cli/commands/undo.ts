// checkpointd undo and redo: the last restore taken back, or done again.
import { type CliCommand, exits, printed } from '../command.ts';
import { sayRestore } from '../lines.ts';

function walk(name: 'undo' | 'redo', summary: string): CliCommand {
  return {
    name,
    changesFiles: true,
    summary,
    options: [['--dry-run', 'only show what would be done']],
    run: async ({ ask, given, options, paths }) => {
      const isDry = options['dryRun'] === true;
      const result = await ask(`checkpoint/${name}`, isDry ? { dryRun: true } : { confirm: true });
      if (!printed(given, result)) sayRestore(result, paths);
      return result.failed.length > 0 ? exits.incomplete : 0;
    },
  };
}

export const undo = walk('undo', 'take the last restore back');
export const redo = walk('redo', 'do the restore again that was taken back');
