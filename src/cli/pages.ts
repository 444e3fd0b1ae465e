// Reads the listings of a session page by page.

import { isObject } from '../base/json.ts';
import type { Checkpoint, HistoryEntry } from '../protocol/types.ts';
import type { Ask, Task } from './command.ts';
import { plain } from './terminal.ts';

/** Requests page after page. `ask` receives the fields that select the next page. */
export async function* pagesOf<P extends { readonly nextCursor?: string | undefined }>(
  ask: (from: { readonly cursor?: string }) => Promise<P>,
): AsyncGenerator<P> {
  for (let from: { readonly cursor?: string } | undefined = {}; from !== undefined; ) {
    const page: P = await ask(from);
    yield page;
    from = page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
  }
}

/**
 * Returns the checkpoints, oldest first. Kind `every` also includes the checkpoints that the daemon made for restores.
 */
export async function allCheckpoints({ ask }: Pick<Task, 'ask'>, kind?: 'every'): Promise<Checkpoint[]> {
  const all: Checkpoint[] = [];
  const wanted = { limit: 1000, kind };
  for await (const page of pagesOf((from) => ask('checkpoint/list', { ...wanted, ...from })))
    all.push(...page.checkpoints);
  return all;
}

/** Returns the user's messages, newest first, each on one line. */
export async function saidMessages(ask: Ask): Promise<string[]> {
  const said: string[] = [];
  for await (const page of pagesOf((from) => ask('conversation/history', from)))
    for (const [at, entry] of page.entries.entries())
      if (page.start + at === 0 || (entry.user.toolResults ?? []).length === 0) said.push(textOf(entry));
  return said.reverse();
}

/** Returns the text of a message, which is a string or a list with some text parts. */
function textOf({ user: { content } }: HistoryEntry): string {
  const parts = (Array.isArray(content) ? content : [content]) as readonly unknown[];
  const texts = parts.map((part) => (isObject(part) ? part['text'] : part));
  return plain(texts.filter((text) => typeof text === 'string').join(' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}
