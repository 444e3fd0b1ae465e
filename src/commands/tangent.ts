// The commands on tangents. A tangent may include the files too (`files: true`): entering makes a checkpoint
// of the files, and leaving without the tail restores it.
//
// Entering first publishes a safety checkpoint, then logs the tangent, which names the checkpoint. A kill in
// between leaves an unused checkpoint and no tangent. Leaving logs the state after it as a proposal (the head
// does not move), then runs a hard restore whose checkpoint names that state. The publication of this
// checkpoint is the one commit point. Before the publication the tangent is open, and the next open finishes
// or undoes the restore. After the publication both the files and the main conversation are back. Leaving
// with the tail keeps the files and moves only the conversation.
import { CheckpointdError } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import type { Conversation, ExitResult } from '../conversation/conversation.ts';
import { lengthsOf } from '../conversation/state/state.ts';
import type * as Wire from '../protocol/types.ts';
import { publishSafety, runRestoreJob } from '../restore/restore.ts';
import { restoreSite } from '../session/restores.ts';
import type { Session } from '../session/session.ts';
import { restoreAgain, restoreAnswer } from './answers/restore-answer.ts';
import { type Command, defineCommand } from './command.ts';
import { type ConversationChange, defineConversationChange } from './conversation.ts';

/** Returns whether a tangent is open, and since when. */
export const conversationTangent = defineCommand('conversation/tangent', ({ session }) => {
  const { tangents, state } = session.parts.conversation;
  const { active, durationSeconds, added } = tangents.status();
  const { tangent } = state;
  if (tangent === undefined) return { active };
  return {
    active,
    ...given({ durationSeconds }),
    tangentStartTime: new Date(tangent.tangentStartTime).toISOString(),
    ...given({ added, files: tangent.filesCheckpoint === undefined ? undefined : true }),
  };
});

/** Enters a tangent. Makes a checkpoint of the files when the client wants them back. */
export const conversationEnterTangent = defineConversationChange(
  'conversation/enterTangent',
  async ({ session, conversation: { tangents }, params, keyed: idempotency, context }) => {
    requireTangents(session);
    if (params.files !== true) return tangents.enter({ idempotency });
    const checkpoints = session.requireCheckpoints();
    if (tangents.status().active) return tangents.enter({ idempotency });
    const present = await capturePresent(checkpoints, context);
    context.signal.throwIfAborted();
    const { record } = await publishSafety(restoreSite(session), present, context, 'Before a tangent');
    return tangents.enter({ filesCheckpoint: record.id, idempotency });
  },
  ({ entered, filesCheckpoint }) => ({ entered, ...given({ checkpoint: filesCheckpoint }) }),
);

/** Returns to the main conversation, and to its files when the tangent included them. */
export const conversationExitTangent: Command<'conversation/exitTangent'> = {
  ...defineConversationChange('conversation/exitTangent', exitTangent, exitAnswer),
  again: async ({ checkpoint, effect }, { session, context }) => {
    if (checkpoint === undefined) return exitAnswer(effect as LeftTangent);
    const restore = await restoreAgain(session, checkpoint, context);
    return {
      exited: true,
      restore,
      ...(restore.conversation ?? lengthsOf(session.parts.conversation.state)),
    };
  },
};

/** `restore`: the result of the files' restore, when the tangent included them and they were restored. */
type LeftTangent = ExitResult & Pick<Wire.ConversationExitTangentResult, 'restore'>;

/** Leaves the tangent's checkpoint of the files out of the answer. */
function exitAnswer({ filesCheckpoint: _named, ...result }: LeftTangent): Wire.ConversationExitTangentResult {
  return result;
}

/** Checks the feature. @throws TangentDisabled when the client that opened the session switched tangents off */
function requireTangents({ parts }: Session): void {
  if (parts.options.features.tangent) return;
  const message = 'Tangent mode is disabled. Enable it with: q settings chat.enableTangentMode true';
  throw new CheckpointdError('TangentDisabled', message);
}

/**
 * Leaves a tangent. Restores the files of a tangent that includes files, unless its tail is kept. A tangent
 * that was entered before tangents were switched off can be left. @throws TangentDisabled
 */
async function exitTangent({
  session,
  conversation,
  params,
  keyed: idempotency,
  context,
}: ConversationChange<'conversation/exitTangent'>): Promise<LeftTangent> {
  const keepTail = params.keepTail ?? false;
  if (!conversation.tangents.status().active) requireTangents(session);
  const named = conversation.state.tangent?.filesCheckpoint;
  const target = named === undefined ? undefined : session.enabled?.index.byId(named);
  if (named === undefined || keepTail || target === undefined) {
    if (named !== undefined && !keepTail)
      context.warn(
        'The checkpoint of the tangent no longer exists, so leaving the tangent did not change the files.',
      );
    return conversation.tangents.exit({ keepTail, idempotency });
  }
  const undone = session.enabled?.index.head?.record.undo ?? [];
  const { parent } = target.record;
  const outcome = await runRestoreJob(
    restoreSite(session),
    {
      target,
      conversation: conversation.tangents.proposeExit(),
      mode: 'hard',
      scope: 'both',
      onConflict: 'overwrite',
      ...given({ parent }),
      undo: (id) => [...undone, id],
      redo: () => [],
      description: 'Left a tangent',
      confirm: true,
      dryRun: false,
    },
    context,
  );
  const restore = await restoreAnswer(session, outcome, false, context);
  return { exited: true, filesCheckpoint: named, ...lengthsOf(conversation.state), restore };
}

/**
 * Returns the checkpoints that open tangents go back to: of the present, and of every checkpoint made inside a
 * tangent.
 */
export function tangentCheckpoints(index: CheckpointIndex, conversation: Conversation): ReadonlySet<string> {
  const needed = new Set<string>();
  const add = (name: string | undefined): unknown => name !== undefined && needed.add(name);
  add(conversation.state.tangent?.filesCheckpoint);
  for (const { record } of index.list('every')) {
    if (record.inTangent === true) add(conversation.at(record.conversation).tangent?.filesCheckpoint);
  }
  return needed;
}
