// What the watcher of a session says of itself.
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import type { Session } from '../../session/session.ts';

/** The watcher's figures; a session that does not watch says so. */
export function watcherFigures(session: Session): Wire.WatcherFigures {
  const figures = session.watcher?.figures;
  if (figures === undefined) return { state: 'off', watchedDirectories: 0, dirtyPaths: 0, overflows: 0 };
  const { state, watchedDirectories, dirtyPaths, overflows, drifts, reason } = figures;
  return {
    state,
    watchedDirectories,
    dirtyPaths,
    overflows,
    ...given({ drifts: drifts === 0 ? undefined : drifts, reason }),
  };
}
