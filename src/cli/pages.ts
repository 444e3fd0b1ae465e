// Listings of a session, from as many pages as the wire makes of them.
import type { Checkpoint, HistoryEntry } from '../protocol/types.ts';
import type { Ask, Task } from './command.ts';
import { plain } from './terminal.ts';

/** The checkpoints, oldest first; of kind `every` with those that only restores made. */
export async function allCheckpoints({ ask }: Pick<Task, 'ask'>, kind?: 'every'): Promise<Checkpoint[]> {
  const all: Checkpoint[] = [];
  let cursor: string | undefined;
  do {
    const wanted = { limit: 1000, ...(kind === undefined ? {} : { kind }) };
    const page = await ask('checkpoint/list', { ...wanted, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.checkpoints);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/** What the user said each time, newest first, each on one line. */
export async function saidMessages(ask: Ask): Promise<string[]> {
  const said: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask('conversation/history', cursor === undefined ? {} : { cursor });
    for (const [at, entry] of page.entries.entries())
      if (page.start + at === 0 || (entry.user.toolResults ?? []).length === 0) said.push(textOf(entry));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return said.reverse();
}

/** The text of a message is a string, or in parts of which some are text. */
function textOf({ user: { content } }: HistoryEntry): string {
  const parts = (Array.isArray(content) ? content : [content]) as readonly unknown[];
  const texts = parts.map((part) => (isObject(part) ? part['text'] : part));
  return plain(texts.filter((text) => typeof text === 'string').join(' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
