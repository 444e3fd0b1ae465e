// The commands for the work tree. These commands report the changes that the watcher has seen, and read and write the
// ledger of authors.
import type * as Wire from '../protocol/types.ts';
import { pathHistory } from '../session/path-history.ts';
import { recordWrite } from '../session/recorded-writes.ts';
import type { Session } from '../session/session.ts';
import { pageOf } from './answers/paging.ts';
import { pathRef, treePath } from './answers/paths.ts';
import { defineCommand } from './command.ts';

export const worktreeStatus = defineCommand('worktree/status', ({ session, params }) => {
  const paths = session.watcher?.dirtyPaths(params.limit ?? 100)?.map(pathRef);
  const counts = session.enabled?.capture.counts;
  const captures = counts && {
    fast: counts.fast,
    cold: [...counts.cold].map(([reason, count]) => ({ reason, count })),
  };
  return { ...watcherFigures(session), captures, paths };
});

/** Returns the state and counters of the watcher. The state is `off` if the session does not watch its work tree. */
export function watcherFigures(session: Session): Wire.WatcherFigures {
  const figures = session.watcher?.figures;
  if (figures === undefined) return { state: 'off', watchedDirectories: 0, dirtyPaths: 0, overflows: 0 };
  const { state, watchedDirectories, dirtyPaths, overflows, drifts, reason } = figures;
  return {
    state,
    watchedDirectories,
    dirtyPaths,
    overflows,
    drifts: drifts === 0 ? undefined : drifts,
    reason,
  };
}

export const ledgerHistory = defineCommand('ledger/history', async ({ session, params }) => {
  const path = treePath(params);
  const { entries, present } = await pathHistory(session, path);
  const { items, nextCursor } = pageOf(entries, `ledger ${session.id} ${path}`, params);
  const described = await Promise.all(items.map((describe) => describe()));
  return { entries: described, present, nextCursor };
});

/** Records that the agent has just written to or deleted a path. */
export const ledgerRecordWrite = defineCommand(
  'ledger/recordWrite',
  ({ session, params, context }) =>
    recordWrite(session, { path: treePath(params), toolName: params.toolName }, context),
  { isKeptWithEffect: true, check: ({ params }) => treePath(params) },
);
