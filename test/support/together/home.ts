// A kept session, for tests that compare its files and conversation together.
import type * as Wire from '../../../src/protocol/types.ts';
import { InProcessDaemon, manifest, repository } from '../in-process-daemon.ts';

export interface Home {
  daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
}

export const daemons: InProcessDaemon[] = [];

export async function home(): Promise<Home> {
  const daemon = new InProcessDaemon();
  daemons.push(daemon);
  const root = repository();
  const { session } = await daemon.open(root, { conversationId: 'c', retention: 'keep' });
  return { daemon, root, session };
}

export async function reopened(
  { daemon, root }: Home,
  more: Partial<Wire.SessionOpenParams> = {},
): Promise<Home> {
  await daemon.close();
  const next = new InProcessDaemon(daemon.storage);
  daemons.push(next);
  const { session } = await next.open(root, { conversationId: 'c', ...more });
  return { daemon: next, root, session };
}

export function append({ daemon, session }: Home, content: string): Promise<Wire.ConversationAppendResult> {
  return daemon.call('conversation/append', {
    session,
    entry: { user: { content }, assistant: { content: 'ok' } },
  });
}

export async function create(
  { daemon, session }: Home,
  kind: 'turn' | 'tool' = 'turn',
): Promise<Wire.Checkpoint> {
  return (await daemon.call('checkpoint/create', { session, kind })).checkpoint;
}

export interface Whole {
  readonly files: Record<string, string>;
  readonly document: unknown;
  readonly counters: readonly number[];
}

export async function whole({ daemon, root, session }: Home): Promise<Whole> {
  const { document } = await daemon.call('conversation/export', { session });
  const { manager } = await daemon.call('session/get', { session });
  return { files: manifest(root), document, counters: [manager.currentTurn, manager.toolsInTurn] };
}

export async function said({ daemon, session }: Home): Promise<string[]> {
  const { entries } = await daemon.call('conversation/history', { session });
  return entries.map(({ user }) => user.content ?? '');
}
