// The lines of Q CLI's console: its layouts, symbols and messages, made of the wire's answers.
import type { Checkpoint, FileStats } from '../../protocol/types.ts';
import { paint, plain } from '../terminal.ts';

export const texts = {
  inTangent:
    '⚠️ Checkpoint is disabled while in tangent mode. Please exit tangent mode if you want to use checkpoint.',
  notEnabled: "⚠️ Checkpoints not enabled. Use '/checkpoint init' to enable.",
  alreadyEnabled:
    '✓ Checkpoints are already enabled for this session! Use /checkpoint list to see current checkpoints.',
  noGit: 'Checkpoints are not available. Git is required but not installed.',
  noRepository:
    "Checkpoints are not available in this directory. Use '/checkpoint init' to enable checkpoints.",
  cleaned: '✓ Deleted shadow repository for this session.',
  cannotAskToClean:
    'Nothing was deleted: nobody can be asked here. /checkpoint clean --yes deletes without asking.',
  noChanges: 'No changes.',
  truncated: '… and more than is shown.',
  enteredTangent:
    'Created a conversation checkpoint (↯). Use ctrl + t or /tangent to restore the conversation later.',
  experimental: 'Note: this functionality is experimental and may change or be removed in the future.',
  leftTangent: 'Restored conversation from checkpoint (↯). - Returned to main conversation.',
  leftWithTail: 'Restored conversation from checkpoint (↯) with last conversation entry preserved.',
  leftWithSummary: 'Restored conversation from checkpoint (↯) with tangent summary preserved.',
  leftEmptyTangent: 'Tangent conversation was empty. Restored conversation from checkpoint (↯).',
  noTangentToCompact: 'You need to be in tangent mode to use compact.',
  nothingToForget: 'No messages to remove.',
  manyForgotten: 'Only the restore of a checkpoint that was made before brings them back.',
  cannotForgetNone: 'Cannot forget 0 messages.',
  pickMessage: 'Select the message to revert back to (newer messages will be forgotten)',
  noTangent: 'You need to be in tangent mode to use tail.',
} as const;

/** `[1] 2026-11-22 02:03:04 - tidy up (+1 ~2)`. */
export function mainLine({ tag, id, timestamp, description, stats }: Checkpoint): string {
  return `${paint('blue', `[${tag ?? id}]`)} ${localTime(timestamp)} - ${plain(description)}${statsOf(stats)}`;
}

/** ` └─ [1.2] fs_write: what it did (~1)`. */
export function toolLine({ tag, id, toolName, description, stats }: Checkpoint): string {
  return ` └─ ${paint('blue', `[${tag ?? id}]`)} ${plain(toolName ?? 'tool')}: ${plain(description)}${statsOf(stats)}`;
}

/** `  ~ src/b.txt (modified)`, in the colour of what happened to it; other lines as they are. */
export function changeLine(line: string): string {
  const sign = /^ {2}([+~-]) /.exec(line)?.[1];
  if (sign === undefined) return line;
  return paint(sign === '+' ? 'green' : sign === '~' ? 'yellow' : 'red', line);
}

/** ` (+a ~m -d)` without the parts that are zero; nothing where all are. */
export function statsOf({ added, modified, deleted }: FileStats): string {
  const parts = [
    ['+', added],
    ['~', modified],
    ['-', deleted],
  ] as const;
  const shown = parts.flatMap(([sign, count]) => (count === 0 ? [] : [`${sign}${count}`]));
  return shown.length === 0 ? '' : ` (${shown.join(' ')})`;
}

/** `%Y-%m-%d %H:%M:%S`, where the person is. */
function localTime(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
