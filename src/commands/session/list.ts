// session/list: the sessions of a storage, open or kept, by pages.
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import { SessionDirectory } from '../../session/directory.ts';
import type { ListedSession, Sessions } from '../../session/sessions.ts';
import { readSummary } from '../../session/summary.ts';
import { pageOf } from '../answers/paging.ts';
import { placePath } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('session/list', async ({ params, daemon }) => {
  const { sessions } = daemon;
  const storage = params.storageDir == null ? daemon.storage : placePath(params.storageDir, 'storageDir');
  const workspace = params.workspace == null ? undefined : placePath(params.workspace, 'workspace');
  const warnings: string[] = [];
  const listed = await sessions.list(storage, (text) => warnings.push(text));
  const all = listed.filter(({ marker }) => workspace === undefined || marker.workTree === workspace);
  const page = pageOf(all, `sessions ${storage} ${workspace ?? ''}`, params);
  return {
    sessions: await Promise.all(page.items.map((one) => summary(sessions, one))),
    ...given({ nextCursor: page.nextCursor, warnings: warnings.length === 0 ? undefined : warnings }),
  };
});

async function summary(sessions: Sessions, listed: ListedSession): Promise<Wire.SessionSummary> {
  const { marker, open, lastUsedMs, holder } = listed;
  const session = open ? sessions.get(marker.session) : undefined;
  const directory = new SessionDirectory(listed.storage, marker.session);
  const checkpoints = session?.enabled?.index.listedSize ?? readSummary(directory)?.checkpoints;
  return {
    session: marker.session,
    workspace: marker.workTree,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    open,
    ...given({ checkpoints, holder }),
    bytes: await sessions.bytesOf(listed),
    createdAt: marker.created,
    // The file system's clock runs some milliseconds behind ours.
    lastUsedAt: new Date(Math.max(lastUsedMs ?? 0, Date.parse(marker.created))).toISOString(),
  };
}
