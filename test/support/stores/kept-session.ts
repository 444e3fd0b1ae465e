// Makes a kept session with one turn, on any strategy. Also returns the path of the database.
import { join } from 'node:path';
import { InProcessDaemon, repository, write } from '../in-process-daemon.ts';

export interface Kept {
  readonly daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
  readonly strategy: string;
}

export async function kept(strategy: string): Promise<Kept> {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root, { strategy, conversationId: 'c', retention: 'keep' });
  await daemon.call('conversation/append', {
    session,
    entry: { user: { content: 'said' }, assistant: { content: 'answered' } },
  });
  write(root, { 'a.txt': 'one\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  return { daemon, root, session, strategy };
}

export const database = ({ daemon }: Kept): string => join(daemon.storage, 'checkpointd.sqlite');
