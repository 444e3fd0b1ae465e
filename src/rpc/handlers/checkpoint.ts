// checkpoint/* that make, list and describe checkpoints. Those that move the work tree are in restore.ts, those that
// manage what is there in manage.ts.

import { CheckpointdError } from '../../base/errors.ts';
import { type CreateRequest, create } from '../../commands/create.ts';
import type * as Wire from '../../protocol/types.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { statsBetween } from '../../session/index/stats.ts';
import { partsOf } from '../../session/index/tag.ts';
import type { Session } from '../../session/session.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../from-protocol.ts';
import { pageOf } from '../paging.ts';
import { checkpoint, skipped } from '../to-protocol.ts';
import { mutate, readContext } from './operation.ts';

type CheckpointMethods =
  | 'checkpoint/create'
  | 'checkpoint/list'
  | 'checkpoint/get'
  | 'checkpoint/expand'
  | 'checkpoint/hasChanges'
  | 'checkpoint/stats';

export function checkpointHandlers(sessions: Sessions): Pick<Handlers, CheckpointMethods> {
  return {
    'checkpoint/create': async (params, context) => {
      const session = sessions.get(params.session);
      return mutate(
        session,
        'checkpoint/create',
        params,
        context,
        async (operation) => {
          const {
            created,
            checkpoint: stored,
            skipped: left,
            capture,
          } = await create(session, createRequest(params), operation);
          return createResult(session, stored.record.id, { created, skipped: skipped(left), capture });
        },
        (id) => createResult(session, id, { created: true, capture: { path: 'cold', ms: 0 } }),
      );
    },
    'checkpoint/list': async (params) => {
      const session = sessions.get(params.session);
      const checkpoints = session.requireCheckpoints();
      const kind = params.kind ?? 'all';
      const page = pageOf(
        checkpoints.index.listing(kind),
        `${session.id} ${checkpoints.index.generation} ${kind}`,
        params,
      );
      const views: Wire.Checkpoint[] = [];
      for (const stored of page.items) views.push(checkpoint(await viewOf(checkpoints, stored)));
      return {
        checkpoints: views,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    },
    'checkpoint/get': async (params) => {
      const checkpoints = sessions.get(params.session).requireCheckpoints();
      const stored = checkpoints.index.resolve(params.tag);
      const { message, restored, safety, inTangent } = stored.record;
      const view = await viewOf(checkpoints, stored);
      return {
        checkpoint: checkpoint(view),
        ...(message === '' ? {} : { message }),
        skipped: skipped(view.skipped),
        ...given({ restored, safety, inTangent }),
      };
    },
    'checkpoint/expand': async (params) => {
      const checkpoints = sessions.get(params.session).requireCheckpoints();
      const stored = checkpoints.index.resolve(params.tag);
      const tag = checkpoints.index.tagOf(stored.record.id);
      const tools: Wire.Checkpoint[] = [];
      if (tag !== undefined && partsOf(tag).tool === undefined) {
        for (const tool of checkpoints.index.toolsOf(partsOf(tag).turn))
          tools.push(checkpoint(await viewOf(checkpoints, tool)));
      }
      return { checkpoint: checkpoint(await viewOf(checkpoints, stored)), tools };
    },
    'checkpoint/hasChanges': async (params, context) => {
      const { capture, index } = sessions.get(params.session).requireCheckpoints();
      const head = index.head;
      const isChanged =
        head === undefined || (await capture.isChanged(head.record.snapshot, readContext(context).signal));
      return { hasChanges: isChanged };
    },
    'checkpoint/stats': async (params) => stats(sessions.get(params.session), params),
  };
}

function createRequest(params: Wire.CheckpointCreateParams): CreateRequest {
  const { message, toolName, description, tag, name, parent, onlyIfChanged } = params;
  return {
    kind: params.kind,
    ...given({ message, toolName, description, tag, name, parent, onlyIfChanged }),
  };
}

async function createResult(
  session: Session,
  id: string,
  facts: Pick<Wire.CheckpointCreateResult, 'created' | 'capture'> & { readonly skipped?: Wire.SkippedPath[] },
): Promise<Wire.CheckpointCreateResult> {
  const checkpoints = session.requireCheckpoints();
  const view = await viewOf(checkpoints, checkpoints.index.resolve(id));
  const left = facts.skipped ?? skipped(view.skipped);
  return {
    created: facts.created,
    checkpoint: checkpoint(view),
    skipped: left,
    complete: left.length === 0,
    capture: facts.capture,
  };
}

async function stats(session: Session, params: Wire.CheckpointStatsParams): Promise<Wire.FileStats> {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  if (params.tag != null) return (await viewOf(checkpoints, index.resolve(params.tag))).stats;
  if (params.from != null && params.to != null) {
    return statsBetween(
      checkpoints,
      index.resolve(params.from).record.snapshot,
      index.resolve(params.to).record.snapshot,
    );
  }
  throw new CheckpointdError('InvalidParams', 'Give either tag, or both from and to.');
}
