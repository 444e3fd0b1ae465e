// worktree/status: what the watcher sees.
import { given } from '../../base/given.ts';
import { pathRef } from '../answers/paths.ts';
import { watcherFigures } from '../answers/watcher-figures.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('worktree/status', ({ session, params }) => {
  const paths = session.watcher?.dirtyPaths(params.limit ?? 100)?.map(pathRef);
  return { ...watcherFigures(session), ...given({ paths }) };
});
