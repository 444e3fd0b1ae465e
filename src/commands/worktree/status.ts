// worktree/status: what the watcher sees, and how much of the work tree captures had to look at.
import { given } from '../../base/given.ts';
import { pathRef } from '../answers/paths.ts';
import { watcherFigures } from '../answers/watcher-figures.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('worktree/status', ({ session, params }) => {
  const paths = session.watcher?.dirtyPaths(params.limit ?? 100)?.map(pathRef);
  const counts = session.enabled?.capture.counts;
  const captures = counts && {
    fast: counts.fast,
    cold: [...counts.cold].map(([reason, count]) => ({ reason, count })),
  };
  return { ...watcherFigures(session), ...given({ captures, paths }) };
});
