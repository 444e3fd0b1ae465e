// conversation/* that only look: the fields, history and transcript by pages, the context, the tangent. They do not
// wait for what the session is doing.
import { CheckpointdError } from '../../base/errors.ts';
import type { EntryId } from '../../conversation/entry.ts';
import { positionOf } from '../../conversation/history.ts';
import type { ConversationState } from '../../conversation/state/state.ts';
import type * as Wire from '../../protocol/types.ts';
import { buildContextMessage, contextNow } from '../../session/context/session-context.ts';
import type { Session } from '../../session/session.ts';
import type { Sessions } from '../../session/sessions.ts';
import { contextState, conversation, historyEntry } from '../conversation-view.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../from-protocol.ts';
import { expired, pageAt, parseCursor } from '../thread-paging.ts';

type ReadingMethods =
  | 'conversation/get'
  | 'conversation/history'
  | 'conversation/transcript'
  | 'conversation/context'
  | 'conversation/tangent';

export function conversationReading(sessions: Sessions): Pick<Handlers, ReadingMethods> {
  return {
    'conversation/get': async (params, { signal }) => {
      const session = sessions.get(params.session);
      return conversation(session, await contextNow(session, signal));
    },
    'conversation/history': async (params) => history(sessions.get(params.session), params),
    'conversation/transcript': async (params) => transcript(sessions.get(params.session), params),
    'conversation/context': async (params, { signal }) => {
      const session = sessions.get(params.session);
      if (params.message !== true) {
        const now = await contextNow(session, signal);
        return { context: contextState(now), ...given({ contextMessageLength: now.messageLength }) };
      }
      const hooks = params.hooks?.map(({ output }) => output);
      const agentPrompt = params.agentPrompt ?? undefined;
      const built = await buildContextMessage(session, { hooks, agentPrompt }, signal);
      for (const warning of built.warnings) session.parts.log.warn(warning);
      return {
        context: contextState({ listed: built }),
        ...(built.message === '' ? {} : { message: built.message }),
        contextMessageLength: built.messageLength,
      };
    },
    'conversation/tangent': async (params) => {
      const { conversation: spoken } = sessions.get(params.session).parts;
      const { active, durationSeconds } = spoken.tangents.status();
      const { tangent } = spoken.state;
      if (tangent === undefined) return { active };
      return {
        active,
        ...given({ durationSeconds }),
        tangentStartTime: new Date(tangent.tangentStartTime).toISOString(),
        ...(tangent.filesCheckpoint === undefined ? {} : { files: true }),
      };
    },
  };
}

function history(session: Session, params: Wire.ConversationHistoryParams): Wire.ConversationHistoryResult {
  const spoken = session.parts.conversation;
  const of = `history ${session.id}`;
  const given = params.cursor == null ? undefined : parseCursor(params.cursor, of);
  const record =
    params.tag == null ? undefined : session.requireCheckpoints().index.resolve(params.tag).record;
  const ref = given?.ref ?? record?.conversation ?? spoken.head;
  const state = stateAt(session, ref, given !== undefined);
  const from = params.from == null ? 0 : positionOf(state.history, params.from as EntryId);
  const page = pageAt(state.history, of, given ?? { ref, start: from }, params.limit);
  return {
    entries: page.items.map(historyEntry),
    start: page.start,
    historyLength: state.history.length,
    validHistoryRange: state.validRange,
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  };
}

function transcript(
  session: Session,
  params: Wire.ConversationTranscriptParams,
): Wire.ConversationTranscriptResult {
  const of = `transcript ${session.id}`;
  const cursor =
    params.cursor == null
      ? { ref: session.parts.conversation.head, start: 0 }
      : parseCursor(params.cursor, of);
  const state = stateAt(session, cursor.ref, params.cursor != null);
  const page = pageAt(state.transcript, of, cursor, params.limit);
  return {
    lines: page.items,
    start: page.start,
    transcriptLength: state.transcript.length,
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  };
}

function stateAt(session: Session, ref: number, isFromCursor: boolean): ConversationState {
  try {
    return session.parts.conversation.at(ref);
  } catch (error) {
    if (isFromCursor && error instanceof CheckpointdError && error.kind === 'DataCorrupt')
      throw expired(error);
    throw error;
  }
}
