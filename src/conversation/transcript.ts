// The conversation as a person reads it, line by line: the user's lines behind `> `, answers with their
// tools, and lines that the client adds (errors). The transcript is never sent to a model.
import { type HistoryEntry, textOf, toolNames } from './entry.ts';
import type { Sequence } from './state/sequence.ts';

/** Returns the lines of one exchange. A message with only tool results adds no user line. */
export function linesOf(entry: HistoryEntry): string[] {
  const said = textOf(entry.user.content);
  const asked = said === '' ? [] : userLines(said);
  const answer = textOf(entry.assistant.content);
  const answered = answer === '' ? [] : answer.split('\n');
  const tools = `[Tool uses: ${toolNames(entry.assistant).join(',') || 'none'}]`;
  return asked.concat(answered, tools);
}

/** Returns the user's message, each line behind `> `. */
export function userLines(text: string): string[] {
  return text.split('\n').map((line) => `> ${line}`);
}

/** Returns the transcript with more lines. Removes the oldest beyond `capacity`. */
export function appendLines(
  transcript: Sequence<string>,
  lines: readonly string[],
  capacity: number,
): Sequence<string> {
  const kept = lines.length > capacity ? lines.slice(lines.length - capacity) : lines;
  const longer = transcript.concat(kept);
  return longer.drop(Math.max(0, longer.length - capacity));
}
