// checkpoint/restore, undo and redo: what moves the work tree and the conversation.
import { restore } from '../../commands/restore.ts';
import { redo, undo } from '../../commands/undo.ts';
import type * as Wire from '../../protocol/types.ts';
import type { RestoreOutcome } from '../../session/restore/outcome.ts';
import { viewOfRestore } from '../../session/restore/view.ts';
import type { Session } from '../../session/session.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given, treePaths } from '../from-protocol.ts';
import { restoreResult } from '../to-protocol.ts';
import { mutate } from './operation.ts';

type RestoreMethods = 'checkpoint/restore' | 'checkpoint/undo' | 'checkpoint/redo';

export function restoreHandlers(sessions: Sessions): Pick<Handlers, RestoreMethods> {
  return {
    'checkpoint/restore': async (params, context) => {
      const session = sessions.get(params.session);
      const paths = treePaths(params.paths);
      const request = {
        target: params.tag,
        mode: params.mode ?? 'soft',
        onConflict: params.onConflict ?? 'overwrite',
        confirm: params.confirm ?? false,
        dryRun: params.dryRun ?? false,
        ...given({ scope: params.scope, paths, expectHead: params.expect?.head }),
      };
      const run = mutate(
        session,
        'checkpoint/restore',
        params,
        context,
        async (operation) =>
          told(session, 'checkpoint/restore', await restore(session, request, operation), request.dryRun),
        (id) => restoreAgain(session, id),
      );
      return run;
    },
    'checkpoint/undo': async (params, context) => {
      const session = sessions.get(params.session);
      return mutate(
        session,
        'checkpoint/undo',
        params,
        context,
        async (operation) =>
          told(
            session,
            'checkpoint/undo',
            await undo(session, walkRequest(params), operation),
            params.dryRun ?? false,
          ),
        (id) => restoreAgain(session, id),
      );
    },
    'checkpoint/redo': async (params, context) => {
      const session = sessions.get(params.session);
      return mutate(
        session,
        'checkpoint/redo',
        params,
        context,
        async (operation) =>
          told(
            session,
            'checkpoint/redo',
            await redo(session, walkRequest(params), operation),
            params.dryRun ?? false,
          ),
        (id) => restoreAgain(session, id),
      );
    },
  };
}

function walkRequest(params: Wire.CheckpointUndoParams): {
  readonly expectHead?: string;
  readonly onConflict: Wire.ConflictPolicy;
  readonly confirm: boolean;
  readonly dryRun: boolean;
} {
  const head = params.expect?.head;
  return {
    ...(head == null ? {} : { expectHead: head }),
    onConflict: params.onConflict ?? 'overwrite',
    confirm: params.confirm ?? false,
    dryRun: params.dryRun ?? false,
  };
}

/** The answer of a restore, after telling listeners when the conversation moved too. */
async function told(
  session: Session,
  method: RestoreMethods,
  outcome: RestoreOutcome,
  dryRun: boolean,
): Promise<Wire.RestoreResult> {
  const scope = outcome.checkpoint?.record.scope;
  if (scope !== undefined && scope !== 'files') session.parts.events.conversationChanged(session, method);
  return restoreAnswer(session, outcome, dryRun);
}

/** A restore as the wire tells it. */
export async function restoreAnswer(
  session: Session,
  outcome: RestoreOutcome,
  dryRun: boolean,
): Promise<Wire.RestoreResult> {
  return restoreResult(await viewOfRestore(session, outcome), dryRun);
}

/** The answer of a restore whose first one was lost with the process: what it published, without the lists. */
export async function restoreAgain(session: Session, id: string): Promise<Wire.RestoreResult> {
  const { index } = session.requireCheckpoints();
  const stored = index.resolve(id);
  const safety = stored.record.safety === undefined ? undefined : index.byId(stored.record.safety);
  const nothing = { restored: [], deleted: [], failed: [], conflicts: [], skipped: [] };
  const outcome = { ...nothing, checkpoint: stored, historyLength: stored.record.historyLength, ms: 0 };
  return restoreAnswer(session, safety === undefined ? outcome : { ...outcome, safety }, false);
}
