// store/* and worktree/status: what the store takes and holds, and what the watcher sees.
import { collect } from '../../commands/collect.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../from-protocol.ts';
import { pathRef } from '../to-protocol.ts';
import { mutate, readContext } from './operation.ts';
import { watcherFigures } from './session.ts';

type StoreMethods = 'store/usage' | 'store/gc' | 'store/verify' | 'worktree/status';

export function storeHandlers(sessions: Sessions): Pick<Handlers, StoreMethods> {
  return {
    'store/usage': async (params) => {
      const session = sessions.get(params.session);
      const { bytes, blobs } = await session.requireCheckpoints().store.usage();
      const { index } = session.requireCheckpoints();
      return { bytes, blobs, checkpoints: index.size, path: session.parts.directory.root };
    },
    'store/gc': async (params, context) => {
      const session = sessions.get(params.session);
      return mutate(
        session,
        'store/gc',
        params,
        context,
        (operation) => collect(session, operation),
        // What of it is known after a kill: how much was freed went with the process.
        async (_checkpoint, effect) => ({
          bytesFreed: 0,
          blobsFreed: 0,
          checkpointsRemoved: Number(effect),
          ms: 0,
        }),
      );
    },
    'store/verify': async (params, context) => {
      const { store, index } = sessions.get(params.session).requireCheckpoints();
      const started = performance.now();
      const problems = await store.verify(readContext(context).signal);
      return {
        ok: problems.length === 0,
        problems,
        checked: index.size,
        ms: Math.round(performance.now() - started),
      };
    },
    'worktree/status': async (params) => {
      const session = sessions.get(params.session);
      const paths = session.watcher?.dirtyPaths(params.limit ?? 100)?.map(pathRef);
      return { ...watcherFigures(session), ...given({ paths }) };
    },
  };
}
