// The commands for the conversation: history, transcript, sticky context, documents, and the client's settings.
// tangent.ts has the commands for tangents. The log record of every change contains the client's key. After the change,
// the daemon notifies the clients. The daemon makes the answer from the logged effect.

import { CheckpointdError } from '../base/errors.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { bytesPerToken, checkContextPaths, contextBudgetTokens } from '../conversation/context.ts';
import { type Conversation, nextMessageFrom } from '../conversation/conversation.ts';
import { checkEntry, checkLength, type EntryId, newEntryId } from '../conversation/entry.ts';
import { positionOf } from '../conversation/history.ts';
import type { Idempotency } from '../conversation/log/timeline.ts';
import type { ModelInfo } from '../conversation/settings.ts';
import type * as Wire from '../protocol/types.ts';
import {
  buildContextMessage,
  checkContextTargets,
  contextNow,
  keepAgents,
  linesNow,
} from '../session/context.ts';
import {
  documentOf,
  exportToFile,
  placeOfExport,
  readDocumentFile,
  sizeOfDocument,
} from '../session/document-file.ts';
import { toText } from '../tree/tree-path.ts';
import {
  contextAfterChange,
  contextState,
  conversation,
  historyEntry,
  pageAt,
  parseCursor,
  stateAt,
} from './answers/conversation-answer.ts';
import { treePath } from './answers/paths.ts';
import { type Answer, type CallOf, type Command, type CommandMethod, defineCommand } from './command.ts';

type ConversationMethod = Extract<CommandMethod, `conversation/${string}`>;

export interface ConversationChange<M extends ConversationMethod> extends CallOf<M> {
  readonly conversation: Conversation;
  /** The client's key, which is logged with the effect. */
  readonly keyed: Idempotency | undefined;
}

/**
 * Defines a command that changes the conversation. `change` makes the change and returns its effect, which is logged
 * with the key. `answer` makes the client's answer from the effect. If the client repeats the key after a restart, the
 * daemon calls `answer` again. `answer` runs after the commit and must not fail. `check` means the same as in
 * `defineCommand`.
 */
export function defineConversationChange<M extends ConversationMethod, E extends object>(
  method: M,
  change: (on: ConversationChange<M>) => E | Promise<E>,
  answer: (effect: E, on: Pick<CallOf<M>, 'session' | 'context'>) => Answer<M>,
  { check }: { readonly check?: (on: ConversationChange<M>) => unknown } = {},
): Command<M> {
  const on = (call: CallOf<M>): ConversationChange<M> => ({
    ...call,
    conversation: call.session.parts.conversation,
    keyed: call.context.stamp.idempotency,
  });
  return defineCommand(
    method,
    async (call) => {
      const { session, context } = call;
      session.requireRecovered();
      const effect = await change(on(call));
      session.parts.events.conversationChanged(session, method, context.client);
      return answer(effect, call);
    },
    {
      isKeptWithEffect: true,
      check: (call) => check?.(on(call)),
      again: ({ effect }, call) => answer(effect as E, call),
    },
  );
}

/** Returns the effect itself, for a change whose effect is also the client's answer. */
const asItIs = <E>(effect: E): E => effect;

/**
 * Passes the warnings of an effect to the client, and returns the effect. The warnings say what the change assumed and
 * omitted.
 */
export function warned<E extends { readonly warnings: readonly string[] }>(
  context: OperationContext,
  effect: E,
): E {
  for (const warning of effect.warnings) context.warn(warning);
  return effect;
}

/** Returns the field `warnings`, or no field when there are no warnings. */
function warningsOf({ warnings }: { readonly warnings: readonly string[] }): {
  readonly warnings?: readonly string[];
} {
  return warnings.length === 0 ? {} : { warnings };
}

export const conversationAppend = defineConversationChange(
  'conversation/append',
  ({ conversation, params, keyed }) => conversation.append(params.entry, keyed),
  asItIs,
  {
    check: ({ conversation: { state }, params }) =>
      checkEntry(params.entry, newEntryId(), 'entry', state.limits),
  },
);

/** Returns the fields of the conversation, except the lists that clients read page by page. */
export const conversationGet = defineCommand('conversation/get', async ({ session, context }) =>
  conversation(session, await contextNow(session, context.signal)),
);

/** Reads the exchanges of the current conversation or of a checkpoint, page by page. */
export const conversationHistory = defineCommand('conversation/history', ({ session, params }) => {
  const spoken = session.parts.conversation;
  const of = `history ${session.id}`;
  const cursor = params.cursor == null ? undefined : parseCursor(params.cursor, of);
  const record =
    params.tag == null ? undefined : session.requireCheckpoints().index.resolve(params.tag).record;
  const ref = cursor?.ref ?? record?.conversation ?? spoken.head;
  const state = stateAt(spoken, ref, cursor !== undefined);
  const from = params.from == null ? 0 : positionOf(state.history, params.from as EntryId);
  const page = pageAt(state.history, of, cursor ?? { ref, start: from }, params.limit);
  return {
    entries: page.items.map(historyEntry),
    start: page.start,
    historyLength: state.history.length,
    validHistoryRange: state.validRange,
    nextCursor: page.nextCursor,
  };
});

/** Stores the message that the user is about to send. */
export const conversationSetNextMessage = defineConversationChange(
  'conversation/setNextMessage',
  ({ conversation, params, keyed, context }) => {
    const options = { lock: params.lock ?? false, idempotency: keyed };
    return warned(context, conversation.setNextMessage(params.message, options));
  },
  ({ warnings, ...result }) => ({ ...result, ...warningsOf({ warnings }) }),
  {
    check: ({ conversation: { state }, params }) => nextMessageFrom(params.message, state.limits),
  },
);

/** Sets the part of the history that the client may send to a model. */
export const conversationSetValidRange = defineConversationChange(
  'conversation/setValidRange',
  ({ conversation, params: { range }, keyed }) => conversation.setValidRange(range.start, range.end, keyed),
  asItIs,
);

/** Removes the last messages from the conversation. */
export const conversationForget = defineConversationChange(
  'conversation/forget',
  ({ conversation, params, keyed, context }) => warned(context, conversation.forget(params.messages, keyed)),
  ({ warnings, ...result }) => ({ ...result, ...warningsOf({ warnings }) }),
);

/** Replaces the older part of the history with a summary. */
export const conversationCompact = defineConversationChange(
  'conversation/compact',
  ({ conversation, params, keyed }) => {
    checkRequest(conversation, params);
    const { summary, metadata, keep, keepFrom } = params;
    if (keep != null) checkKeep(conversation, keep);
    const kept = keepFrom == null ? (keep ?? 0) : (keepFrom as EntryId);
    return conversation.compact({ summary, metadata, keep: kept }, keyed);
  },
  asItIs,
  { check: ({ conversation, params }) => checkRequest(conversation, params) },
);

/** Checks a compaction. @throws InvalidParams, MessageTooLarge */
function checkRequest(
  { state }: Conversation,
  { summary, keep, keepFrom }: Pick<Wire.ConversationCompactParams, 'summary' | 'keep' | 'keepFrom'>,
): void {
  if (keep != null && keepFrom != null)
    throw new CheckpointdError('InvalidParams', 'Give either "keep" or "keepFrom", not both.');
  checkLength(summary, state.limits.messageChars, 'summary');
}

/**
 * Refuses to keep more messages than the history has. A client that asks for more has counted wrongly, and the
 * compaction could lose messages. @throws InvalidRange
 */
function checkKeep({ state }: Conversation, keep: number): void {
  const { length } = state.history;
  if (keep <= length) return;
  throw new CheckpointdError(
    'InvalidRange',
    `The history has only ${length} entries, so the last ${keep} entries cannot be kept. Give at most ${length}.`,
    { details: { keep, historyLength: length } },
  );
}

/** Empties the conversation. Keeps the settings and an open tangent. */
export const conversationClear = defineConversationChange(
  'conversation/clear',
  ({ conversation, keyed }) => conversation.clear(keyed),
  asItIs,
);

/** Reads the lines of the transcript page by page. */
export const conversationTranscript = defineCommand('conversation/transcript', ({ session, params }) => {
  const spoken = session.parts.conversation;
  const of = `transcript ${session.id}`;
  const cursor = params.cursor == null ? { ref: spoken.head, start: 0 } : parseCursor(params.cursor, of);
  const state = stateAt(spoken, cursor.ref, params.cursor != null);
  const page = pageAt(state.transcript, of, cursor, params.limit);
  return {
    lines: page.items,
    start: page.start,
    transcriptLength: state.transcript.length,
    nextCursor: page.nextCursor,
  };
});

/** Appends lines that belong to no exchange. */
export const conversationAppendTranscript = defineConversationChange(
  'conversation/appendTranscript',
  ({ conversation, params, keyed }) =>
    conversation.appendTranscript(params.text, { user: params.user ?? false, idempotency: keyed }),
  asItIs,
  {
    check: ({ conversation: { state }, params }) =>
      checkLength(params.text, state.limits.messageChars, 'text'),
  },
);

/**
 * Lists the sticky context. On request, also returns the message with which the client sends the context to a model.
 */
export const conversationContext = defineCommand(
  'conversation/context',
  async ({ session, params, context }) => {
    if (params.message !== true) {
      const now = await contextNow(session, context.signal);
      return { context: contextState(now), contextMessageLength: now.messageLength };
    }
    const hooks = params.hooks?.map(({ output }) => output);
    const agentPrompt = params.agentPrompt ?? undefined;
    const built = await buildContextMessage(session, { hooks, agentPrompt }, context.signal);
    for (const warning of built.warnings) context.warn(warning);
    return {
      context: contextState({ listed: built }),
      ...(built.message === '' ? {} : { message: built.message }),
      contextMessageLength: built.messageLength,
      ...(built.unreadable.length === 0 ? {} : { unreadable: built.unreadable }),
      ...(built.warnings.length === 0 ? {} : { warnings: built.warnings }),
    };
  },
);

/** Adds paths and globs to the sticky context. The client sends the matching files to the model with every message. */
export const conversationAddContext = defineConversationChange(
  'conversation/addContext',
  async ({ session, conversation, params, keyed }) => {
    await checkContextTargets(session, params.paths);
    return conversation.context.add(params.paths, keyed);
  },
  async ({ added }, on) => ({ changed: added, context: await contextAfterChange(on) }),
  {
    check: ({ session, params }) => checkContextTargets(session, params.paths),
  },
);

/** Removes paths and globs from the sticky context. */
export const conversationRemoveContext = defineConversationChange(
  'conversation/removeContext',
  ({ conversation, params, keyed }) => conversation.context.remove(params.paths, keyed),
  async ({ removed }, on) => ({ changed: removed, context: await contextAfterChange(on) }),
  {
    check: ({ params }) => checkContextPaths(params.paths),
  },
);

export const conversationSetModel = defineConversationChange(
  'conversation/setModel',
  ({ conversation, params, keyed, context }) =>
    warned(context, conversation.settings.setModel(params.modelInfo, keyed)),
  ({ modelInfo, warnings }, { session: { parts } }) => ({
    modelInfo: modelInfo as ModelInfo & Wire.ModelInfo,
    maxContextSize: contextBudgetTokens({ ...parts.conversation.state, modelInfo }) * bytesPerToken,
    ...warningsOf({ warnings }),
  }),
);

/** Sets the tools that the client offers to its model. */
export const conversationSetTools = defineConversationChange(
  'conversation/setTools',
  ({ conversation, params: { tools, toolManager }, keyed }) => {
    const result = conversation.settings.setTools(tools, keyed);
    if (toolManager != null) conversation.settings.setRuntime({ toolManager });
    return result;
  },
  asItIs,
);

/**
 * Stores the agents of the client. The daemon keeps the agents and the request's key only in memory, until the process
 * ends.
 */
export const conversationSetAgents = defineConversationChange(
  'conversation/setAgents',
  async ({ session, params: { agents }, context }) => warned(context, await keepAgents(session, agents)),
  asItIs,
);

/** Sets whether the client uses its MCP servers. */
export const conversationSetMcpEnabled = defineConversationChange(
  'conversation/setMcpEnabled',
  ({ conversation, params, keyed }) => conversation.settings.setMcpEnabled(params.mcpEnabled, keyed),
  asItIs,
);

/** Records how many lines a write of the agent changed. */
export const conversationRecordLines = defineConversationChange(
  'conversation/recordLines',
  async ({ session, conversation, params, keyed, context }) => {
    const { linesBefore, linesAfter, oldText, newText } = params;
    const path = treePath(params);
    const after = linesAfter ?? (await linesNow(session, path, context.signal));
    const { operation } = params;
    const write = { path: toText(path), operation, after, before: linesBefore, oldText, newText };
    return conversation.recordLines(write, keyed);
  },
  asItIs,
  {
    check: ({ params }) => treePath(params),
  },
);

/**
 * Exports the conversation as a document, in the answer or as a file. Does not change the session, and works even if
 * the session's store refuses every write.
 */
export const conversationExport = defineCommand('conversation/export', async (call) => {
  const { session, params, openSessions, context } = call;
  const { path, overwrite } = params;
  // The file may be in the work tree of another session. In this case, the export waits in the queues of both sessions.
  // An export without a file waits only in the queue of its own session.
  const place =
    path == null
      ? undefined
      : await placeOfExport(session, { path, overwrite: overwrite ?? false }, openSessions(), context);
  const exporting = async (): Promise<Wire.ConversationExportResult> => {
    if (place !== undefined) return exportToFile(session, place);
    const document = await documentOf(session);
    return { document: document as unknown as Wire.JsonObject, bytes: await sizeOfDocument(document) };
  };
  return session.parts.queue.run(exporting, context.signal, 'conversation/export');
});

/** Replaces the conversation with the conversation of a document. */
export const conversationImport = defineConversationChange(
  'conversation/import',
  async ({ session, conversation, params, keyed, context }) => {
    checkSource(params);
    const { document, path } = params;
    const source = path == null ? document : await readDocumentFile(session, path);
    const imported = await conversation.import(source, { signal: context.signal, idempotency: keyed });
    return warned(context, imported);
  },
  asItIs,
  { check: ({ params }) => checkSource(params) },
);

/** Checks that the request names exactly one source of the document. @throws InvalidParams */
function checkSource({ document, path }: Pick<Wire.ConversationImportParams, 'document' | 'path'>): void {
  if ((document == null) === (path == null))
    throw new CheckpointdError('InvalidParams', 'Give either "document" or "path".');
}
