// The transcript is the conversation as a person reads it, line by line. Each line of the user begins with `> `. All
// lines without this mark are answers with their tools, or lines that the client adds, such as errors. Clients do not
// send the transcript to a model.
import { type HistoryEntry, textOf, toolNames } from './entry.ts';
import type { Sequence } from './state/sequence.ts';

/** Returns the lines of one exchange. A message that contains only tool results produces no line of the user. */
export function linesOf(entry: HistoryEntry): string[] {
  const said = textOf(entry.user.content);
  const asked = said === '' ? [] : userLines(said);
  const answer = textOf(entry.assistant.content);
  const answered = answer === '' ? [] : answer.split('\n');
  const tools = `[Tool uses: ${toolNames(entry.assistant).join(',') || 'none'}]`;
  return asked.concat(answered, tools);
}

/** Returns the lines of the user's message. Each line begins with `> `. */
export function userLines(text: string): string[] {
  return text.split('\n').map((line) => `> ${line}`);
}

/** Returns the transcript with these lines added. Removes the oldest lines beyond `capacity`. */
export function appendLines(
  transcript: Sequence<string>,
  lines: readonly string[],
  capacity: number,
): Sequence<string> {
  const kept = lines.length > capacity ? lines.slice(lines.length - capacity) : lines;
  const longer = transcript.concat(kept);
  return longer.drop(Math.max(0, longer.length - capacity));
}
