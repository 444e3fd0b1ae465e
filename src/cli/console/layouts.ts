// Formats the daemon's answers as the console of Q CLI does, with the same layouts, symbols and messages.
import type { Checkpoint, FileStats } from '../../protocol/types.ts';
import { localTime, paint, plain } from '../terminal.ts';

export const texts = {
  inTangent:
    '⚠️ Checkpoint is disabled while in tangent mode. Please exit tangent mode if you want to use checkpoint.',
  notEnabled: "⚠️ Checkpoints not enabled. Use '/checkpoint init' to enable.",
  alreadyEnabled:
    '✓ Checkpoints are already enabled for this session! Use /checkpoint list to see current checkpoints.',
  noGit: 'Checkpoints are not available. Git is required but not installed.',
  noRepository:
    "Checkpoints are not available in this directory. Use '/checkpoint init' to enable checkpoints.",
  checkpointsOff: 'Checkpoint is disabled. Enable it with: q settings chat.enableCheckpoint true',
  tangentOff: 'Tangent mode is disabled. Enable it with: q settings chat.enableTangentMode true',
  cleaned: '✓ Deleted shadow repository for this session.',
  cannotAskToRevert:
    'Nothing was reverted, because the command must ask first, but no terminal is connected. /checkpoint revert --yes reverts without asking.',
  cannotAskToClean:
    'Nothing was deleted, because the command must ask first, but no terminal is connected. /checkpoint clean --yes deletes without asking.',
  noChanges: 'No changes.',
  truncated: '… and more.',
  enteredTangent:
    'Created a conversation checkpoint (↯). Use ctrl + t or /tangent to restore the conversation later.',
  experimental: 'Note: this functionality is experimental and may change or be removed in the future.',
  leftTangent: 'Restored conversation from checkpoint (↯). - Returned to main conversation.',
  leftWithTail: 'Restored conversation from checkpoint (↯) with last conversation entry preserved.',
  leftWithSummary: 'Restored conversation from checkpoint (↯) with tangent summary preserved.',
  leftEmptyTangent: 'Tangent conversation was empty. Restored conversation from checkpoint (↯).',
  noTangentToCompact: 'You need to be in tangent mode to use compact.',
  nothingToForget: 'No messages to remove.',
  manyForgotten: 'Only a restore of an earlier checkpoint brings these messages back.',
  cannotForgetNone: 'Cannot forget 0 messages.',
  pickMessage: 'Select the message to revert back to (newer messages will be forgotten)',
  noTangent: 'You need to be in tangent mode to use tail.',
} as const;

/** The console commands, each with usage and description. */
const help: readonly (readonly [usage: string, summary: string])[] = [
  ['/checkpoint init', 'enable checkpoints here, also outside a git repository'],
  ['/checkpoint list [-l N]', 'list the turns, the oldest first'],
  ['/checkpoint expand <tag>', 'show a turn with its tools'],
  ['/checkpoint diff <tag> [tag]', 'show what changed since a checkpoint, or between two checkpoints'],
  ['/checkpoint restore [tag] [--hard]', 'restore files and conversation; without a tag, pick a turn'],
  ['/checkpoint revert <tag>', 'reverse the changes of a turn or tool, and keep all later changes'],
  ['/checkpoint create [message]', 'make a checkpoint'],
  ['/checkpoint clean', 'delete all checkpoints of the session'],
  [
    '/tangent [tail]',
    'begin a side conversation, or leave it; "tail" keeps the last entry of the side conversation',
  ],
  ['/tangent compact <summary>', 'leave the side conversation and keep your summary'],
  ['/tangent forget [N]', 'forget the last N messages; without N, pick the newest message to keep'],
  ['/compact [--keep N] <summary>', 'replace the conversation by your summary'],
  ['/context show|add <path>|remove <path>', "list, add or remove the files of the model's context"],
  ['/undo', 'reverse the last restore'],
  ['/redo', 'repeat the restore that was undone'],
  ['/status', 'show the session and its current checkpoint'],
  ['/usage', 'show the size of the checkpoints on the disk'],
  ['/quit', 'leave the console (Ctrl-D)'],
];

/** Returns the lines of the help. Ctrl and the letter `tangentKey` run /tangent. */
export function helpLines(tangentKey: string | undefined): string[] {
  const width = Math.max(...help.map(([usage]) => usage.length));
  const key = tangentKey === undefined ? '' : ` (Ctrl-${tangentKey.toUpperCase()})`;
  return help.map(
    ([usage, summary]) => `${usage.padEnd(width)}  ${summary}${usage === '/tangent [tail]' ? key : ''}`,
  );
}

/** Returns a line such as `[1] 2026-11-22 02:03:04 - tidy up (its name) (+1 ~2)`. */
export function mainLine({ tag, id, timestamp, description, name, stats }: Checkpoint): string {
  const called = name === undefined ? '' : ` (${plain(name)})`;
  const what = `${plain(description)}${called}${statsOf(stats)}`;
  return `${paint('blue', `[${tag ?? id}]`)} ${localTime(timestamp)} - ${what}`;
}

/** Returns Q CLI's message about a disabled feature. The message says where to enable the feature. */
export function switchedOff(feature: 'checkpoints' | 'tangent'): string {
  const words = feature === 'checkpoints' ? texts.checkpointsOff : texts.tangentOff;
  return `${words}\nThis session was opened with features.${feature} false.`;
}

/** Returns a line such as ` └─ [1.2] fs_write: what it did (~1)`. */
export function toolLine({ tag, id, toolName, description, stats }: Checkpoint): string {
  return ` └─ ${paint('blue', `[${tag ?? id}]`)} ${plain(toolName ?? 'tool')}: ${plain(description)}${statsOf(stats)}`;
}

/** Colours a line such as ` ~ src/b.txt (modified)` by the kind of change. Returns any other line unchanged. */
export function changeLine(line: string): string {
  const sign = /^ {2}([+~-]) /.exec(line)?.[1];
  if (sign === undefined) return line;
  return paint(sign === '+' ? 'green' : sign === '~' ? 'yellow' : 'red', line);
}

/** Returns ` (+a ~m -d)`, but omits counts that are zero. Returns an empty text when all counts are zero. */
export function statsOf({ added, modified, deleted }: FileStats): string {
  const parts = [
    ['+', added],
    ['~', modified],
    ['-', deleted],
  ] as const;
  const shown = parts.flatMap(([sign, count]) => (count === 0 ? [] : [`${sign}${count}`]));
  return shown.length === 0 ? '' : ` (${shown.join(' ')})`;
}
