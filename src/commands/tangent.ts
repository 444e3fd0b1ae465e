// The commands for tangents. A tangent may include the files (`files: true`). Entering a tangent with files makes a
// checkpoint of the files. When the client leaves the tangent, the daemon restores this checkpoint, unless the client
// keeps the tail (the last entry of the tangent).
//
// To enter a tangent, the daemon first publishes a safety checkpoint, and then logs the tangent with the id of this
// checkpoint. A kill between these steps leaves an unused checkpoint and no tangent. To leave a tangent, the daemon
// first logs the new state of the conversation as a proposal, without moving the head. After this, the daemon runs a
// hard restore, and the checkpoint of this restore names the proposed state. Publishing that checkpoint commits the
// whole change, for both the files and the conversation. If the process is killed before the publication, the tangent
// stays open. The next opening then finishes or undoes the restore. If the client keeps the tail, the daemon keeps
// the files and moves only the conversation.
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { lengthsOf } from '../conversation/state/state.ts';
import type { ExitResult } from '../conversation/tangent.ts';
import type * as Wire from '../protocol/types.ts';
import { publishSafety, runRestoreJob } from '../restore/restore.ts';
import { restoreSite } from '../session/restores.ts';
import type { Session } from '../session/session.ts';
import { restoreAgain, restoreAnswer } from './answers/restore-answer.ts';
import { type Command, defineCommand } from './command.ts';
import { type ConversationChange, defineConversationChange } from './conversation.ts';

/** Returns whether a tangent is open, and the time when the client entered it. */
export const conversationTangent = defineCommand('conversation/tangent', ({ session }) => {
  const { tangents, state } = session.parts.conversation;
  const { active, durationSeconds, added } = tangents.status();
  const { tangent } = state;
  if (tangent === undefined) return { active };
  return {
    active,
    durationSeconds,
    tangentStartTime: new Date(tangent.tangentStartTime).toISOString(),
    added,
    files: tangent.filesCheckpoint === undefined ? undefined : true,
  };
});

/** Enters a tangent. If the tangent includes the files, makes a checkpoint of them. */
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
  ({ entered, filesCheckpoint }) => ({ entered, checkpoint: filesCheckpoint }),
);

/** Returns to the main conversation. If the tangent included the files, also restores the files. */
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

/** The result of leaving a tangent. `restore` is the result of the restore, if files were restored. */
type LeftTangent = ExitResult & Pick<Wire.ConversationExitTangentResult, 'restore'>;

/** Returns the answer for the client, without the tangent's checkpoint of the files. */
function exitAnswer({ filesCheckpoint: _named, ...result }: LeftTangent): Wire.ConversationExitTangentResult {
  return result;
}

/** Checks that tangents are enabled. @throws TangentDisabled if the client that opened the session disabled tangents */
function requireTangents({ parts }: Session): void {
  if (parts.options.features.tangent) return;
  const message = 'Tangent mode is disabled. Enable it with: q settings chat.enableTangentMode true';
  throw new CheckpointdError('TangentDisabled', message);
}

/**
 * Leaves a tangent. If the tangent includes files and the client does not keep the tail, restores the files. A client
 * can leave an open tangent even if tangents were disabled after the tangent began. @throws TangentDisabled if tangents
 * are disabled and no tangent is open
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
  const { parent } = target.record;
  const outcome = await runRestoreJob(
    restoreSite(session),
    {
      target,
      conversation: conversation.tangents.proposeExit(),
      mode: 'hard',
      scope: 'both',
      onConflict: 'overwrite',
      parent,
      step: 'restore',
      description: 'Left a tangent',
      confirm: true,
      dryRun: false,
    },
    context,
  );
  const restore = await restoreAnswer(session, outcome, context);
  return { exited: true, filesCheckpoint: named, ...lengthsOf(conversation.state), restore };
}

/**
 * Returns the checkpoints that must not be removed, because the end of a tangent may restore their files. The
 * checkpoints belong to the open tangent, and to every tangent in which an existing checkpoint was made.
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
