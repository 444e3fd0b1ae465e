// conversation/* that change what was said: exchanges, transcript, next message, range, summary, line trackers, and
// tangents. What a change means is the conversation's; looking is in conversation-reading.ts.
import { CheckpointdError } from '../../base/errors.ts';
import { enterTangent, exitTangent } from '../../commands/tangent-files.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { EntryId } from '../../conversation/entry.ts';
import { linesNow } from '../../session/context/session-context.ts';
import { lengthsOf } from '../../session/restore/view.ts';
import type { Sessions } from '../../session/sessions.ts';
import { toText } from '../../tree/tree-path.ts';
import type { Handlers } from '../dispatch.ts';
import { given, treePath } from '../from-protocol.ts';
import { asItIs, type ConversationMethods, changing, invalid, told, warned } from './conversation-change.ts';
import { conversationReading } from './conversation-reading.ts';
import { documentHandlers, settingsHandlers } from './conversation-settings.ts';
import { restoreAgain, restoreAnswer } from './restore.ts';

/** All of conversation/*. */
export function conversationHandlers(sessions: Sessions): Pick<Handlers, ConversationMethods> {
  return {
    ...conversationReading(sessions),
    ...threadHandlers(sessions),
    ...tangentHandlers(sessions),
    ...settingsHandlers(sessions),
    ...documentHandlers(sessions),
  };
}

type ThreadMethods =
  | 'conversation/append'
  | 'conversation/appendTranscript'
  | 'conversation/setNextMessage'
  | 'conversation/clear'
  | 'conversation/setValidRange'
  | 'conversation/compact'
  | 'conversation/recordLines';

function threadHandlers(sessions: Sessions): Pick<Handlers, ThreadMethods> {
  return {
    'conversation/append': changing(
      sessions,
      'conversation/append',
      ({ conversation, params, keyed }) => conversation.append(params.entry, keyed),
      asItIs,
    ),
    'conversation/appendTranscript': changing(
      sessions,
      'conversation/appendTranscript',
      ({ conversation, params, keyed }) =>
        conversation.appendTranscript(params.text, { user: params.user ?? false, idempotency: keyed }),
      asItIs,
    ),
    'conversation/setNextMessage': changing(
      sessions,
      'conversation/setNextMessage',
      ({ session, conversation, params, keyed }) => {
        const options = { lock: params.lock ?? false, idempotency: keyed };
        return warned(session, conversation.setNextMessage(params.message, options));
      },
      ({ warnings, ...result }) => ({ ...result, ...told(warnings) }),
    ),
    'conversation/clear': changing(
      sessions,
      'conversation/clear',
      ({ conversation, keyed }) => conversation.clear(keyed),
      asItIs,
    ),
    'conversation/setValidRange': changing(
      sessions,
      'conversation/setValidRange',
      ({ conversation, params, keyed }) =>
        conversation.setValidRange(params.range.start, params.range.end, keyed),
      asItIs,
    ),
    'conversation/compact': changing(
      sessions,
      'conversation/compact',
      ({ conversation, params: { summary, metadata, keep, keepFrom }, keyed }) => {
        if (keep != null && keepFrom != null) throw invalid('Give either keep or keepFrom, not both.');
        if (keep != null) checkKeep(conversation, keep);
        const kept = keepFrom == null ? (keep ?? 0) : (keepFrom as EntryId);
        return conversation.compact({ summary, metadata, keep: kept }, keyed);
      },
      asItIs,
    ),
    'conversation/recordLines': changing(
      sessions,
      'conversation/recordLines',
      async ({ session, conversation, params, keyed, operation }) => {
        const { linesBefore, linesAfter, oldText, newText } = params;
        const path = treePath(
          params.pathBytes == null
            ? { path: params.path }
            : { path: params.path, pathBytes: params.pathBytes },
        );
        const after = linesAfter ?? (await linesNow(session, path, operation.signal));
        const optional = given({ before: linesBefore, oldText, newText });
        const write = { path: toText(path), operation: params.operation, after, ...optional };
        return conversation.recordLines(write, keyed);
      },
      asItIs,
    ),
  };
}

type TangentMethods = 'conversation/enterTangent' | 'conversation/exitTangent';

function tangentHandlers(sessions: Sessions): Pick<Handlers, TangentMethods> {
  return {
    'conversation/enterTangent': changing(
      sessions,
      'conversation/enterTangent',
      ({ session, params, keyed, operation }) =>
        enterTangent(session, params.files ?? false, operation, keyed),
      ({ entered, filesCheckpoint }) => ({ entered, ...given({ checkpoint: filesCheckpoint }) }),
    ),
    'conversation/exitTangent': changing(
      sessions,
      'conversation/exitTangent',
      async ({ session, params, keyed, operation }) => {
        const { exit, restore } = await exitTangent(session, params.keepTail ?? false, operation, keyed);
        return restore === undefined
          ? exit
          : { ...exit, restore: await restoreAnswer(session, restore, false) };
      },
      ({ filesCheckpoint: _named, ...result }) => result,
      async (checkpoint, session) => {
        const restore = await restoreAgain(session, checkpoint);
        return { exited: true, restore, ...(restore.conversation ?? lengthsOf(session.parts.conversation)) };
      },
    ),
  };
}

/** A client that keeps more than there is has lost count, and would lose more by going on. @throws InvalidRange */
function checkKeep({ state }: Conversation, keep: number): void {
  const { length } = state.history;
  if (keep <= length) return;
  throw new CheckpointdError(
    'InvalidRange',
    `There are ${length} entries, so the last ${keep} cannot be kept. Give at most ${length}.`,
    { details: { keep, historyLength: length } },
  );
}
