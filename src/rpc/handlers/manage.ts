// checkpoint/init, delete, rename and clean: what is done to checkpoints by hand.

import { clean, init } from '../../commands/clean.ts';
import { remove, rename } from '../../commands/manage.ts';
import type * as Wire from '../../protocol/types.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { baseTag } from '../../session/index/tag.ts';
import { ownRepository } from '../../session/offered-strategies.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../from-protocol.ts';
import { checkpoint, checkpointsState, disabledState, skipped } from '../to-protocol.ts';
import { mutate } from './operation.ts';

type ManageMethods = 'checkpoint/init' | 'checkpoint/delete' | 'checkpoint/rename' | 'checkpoint/clean';

export function manageHandlers(sessions: Sessions): Pick<Handlers, ManageMethods> {
  return {
    'checkpoint/init': async (params, context) => {
      const session = sessions.get(params.session);
      const answer = async (initialized: boolean, ms: number): Promise<Wire.CheckpointInitResult> => {
        const checkpoints = session.requireCheckpoints();
        // Where the base was deleted by hand, the oldest one that is left stands for it.
        const { index } = checkpoints;
        const oldest = index.byTag(baseTag) ?? index.list('every')[0] ?? index.resolve(baseTag);
        const base = await viewOf(checkpoints, oldest);
        return {
          initialized,
          checkpoints: checkpointsState(session),
          base: checkpoint(base),
          skipped: skipped(base.skipped),
          ms,
        };
      };
      return mutate(
        session,
        'checkpoint/init',
        params,
        context,
        async (operation) => {
          const { initialized, ms } = await init(session, operation);
          return answer(initialized, ms);
        },
        () => answer(true, 0),
      );
    },
    'checkpoint/delete': async (params, context) => {
      const session = sessions.get(params.session);
      return mutate(session, 'checkpoint/delete', params, context, async (operation) => ({
        deleted: await remove(session, params.tag, operation),
      }));
    },
    'checkpoint/rename': async (params, context) => {
      const session = sessions.get(params.session);
      const described = async (id: string): Promise<Wire.CheckpointRenameResult> => {
        const checkpoints = session.requireCheckpoints();
        return { checkpoint: checkpoint(await viewOf(checkpoints, checkpoints.index.resolve(id))) };
      };
      return mutate(
        session,
        'checkpoint/rename',
        params,
        context,
        async (operation) =>
          described((await rename(session, params.tag, params.name ?? undefined, operation)).record.id),
        described,
      );
    },
    'checkpoint/clean': async (params, context) => {
      const session = sessions.get(params.session);
      const path = ownRepository(session);
      const answer = (removed: number): Wire.CheckpointCleanResult => ({
        removed,
        ...given({ path }),
        checkpoints: disabledState('Cleaned'),
      });
      return mutate(
        session,
        'checkpoint/clean',
        params,
        context,
        async (operation) => answer((await clean(session, operation)).removed),
        async (_checkpoint, effect) => answer(Number(effect)),
      );
    },
  };
}
