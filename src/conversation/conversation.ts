// The conversation of a session. This module checks the requests of a client, applies them to the timeline, and returns
// the results. The states of a conversation are immutable values. A checkpoint stores a reference to a state. The
// context files are in context.ts. This module moves no files, does not use the protocol, and runs no model.
import { type Clock, systemClock } from '../base/clock.ts';
import { Slices } from '../base/slices.ts';
import { type ClientObject, clientObject, refuse, wellFormed } from './client-object.ts';
import { StickyContext, type WindowUse, windowUse } from './context.ts';
import { readDocument } from './document/document-reader.ts';
import { partsOf, remainderOf } from './document/import-parts.ts';
import {
  checkEntry,
  checkLength,
  checkUser,
  type EntryId,
  type EntryInput,
  newEntryId,
  textOf,
  type UserMessage,
} from './entry.ts';
import { lastMessages, positionOf, requestedRange } from './history.ts';
import { checkLineWrite, type LineReport, type LineWrite, reportLines, trackWrite } from './line-tracker.ts';
import type { LogRecord, RecordLog } from './log/session-log.ts';
import { type ConversationRef, type Idempotency, Timeline } from './log/timeline.ts';
import { type ConversationLimits, checkTools, knownModel, type ModelInfo } from './settings.ts';
import {
  addedBy,
  type ConversationState,
  type Lengths,
  lengthsOf,
  type Moment,
  tailOf,
  tangentSeconds,
} from './state/state.ts';
import { userLines } from './transcript.ts';

interface AppendResult extends Lengths {
  readonly id: EntryId;
  /**
   * The number of oldest entries that were removed because the history was full. The thread has lost these entries
   * permanently.
   */
  readonly dropped: number;
}

interface NextMessageResult {
  /**
   * False when the text of the pending message was locked and therefore not replaced. The next message is set in both
   * cases.
   */
  readonly accepted: boolean;
  readonly pendingUserMessage?: string | undefined;
  readonly messageLocked: boolean;
  readonly warnings: readonly string[];
}

export interface ExitResult extends Lengths {
  readonly exited: boolean;
  readonly tail?: EntryId | undefined;
  /** The checkpoint with the files as they were before the tangent. The session restores this checkpoint. */
  readonly filesCheckpoint?: string | undefined;
}

interface ForgetResult extends Lengths {
  readonly forgotten: { readonly messages: number; readonly entries: number };
  readonly warnings: readonly string[];
}

interface ImportResult extends Lengths {
  readonly dropped: number;
  readonly transcriptDropped: number;
  /** The conversation id in the document. The conversation of the session keeps its own id. */
  readonly conversationId: string;
  readonly warnings: readonly string[];
}

/**
 * The run-time objects of the client. The daemon keeps these objects in memory until the process ends, and never stores
 * them (C28).
 */
interface RuntimeObjects {
  readonly agents?: ClientObject | undefined;
  readonly toolManager?: ClientObject | undefined;
}

export class Conversation {
  readonly conversationId: string;
  readonly context: StickyContext;
  readonly settings: ClientSettings;
  readonly tangents: TangentMode;
  readonly #timeline: Timeline;
  readonly #clock: Clock;

  /** Creates an empty conversation. The caller must replay the log's records before using the conversation. */
  constructor(conversationId: string, log: RecordLog, clock: Clock = systemClock) {
    this.conversationId = conversationId;
    this.#timeline = new Timeline(log);
    this.#clock = clock;
    this.context = new StickyContext(this.#timeline);
    this.settings = new ClientSettings(this.#timeline);
    this.tangents = new TangentMode(this.#timeline, clock);
  }

  /** The reference to the current state. A checkpoint stores this reference. */
  get head(): ConversationRef {
    return this.#timeline.head;
  }

  get state(): ConversationState {
    return this.at(this.head);
  }

  /** The part of the model's window that is used by the valid history and by the last built context message. */
  get windowUse(): WindowUse {
    return windowUse(this.state, this.context.lastMessageLength);
  }

  /**
   * Returns the state that the conversation would have after a rewind to `ref`: the thread at `ref` with the current
   * settings. Copies no list.
   */
  at(ref: ConversationRef): ConversationState {
    const { settings } = this.#timeline.present;
    return { conversationId: this.conversationId, ...this.#timeline.threadAt(ref), ...settings };
  }

  /**
   * Applies one record of the log when the session is reopened. The caller passes all records in order. Ignores records
   * of other kinds.
   */
  replay(position: number, record: LogRecord): void {
    this.#timeline.replay(position, record);
  }

  /**
   * Moves the head in memory. The move becomes durable when a checkpoint at the new head is published.
   * @throws DataCorrupt
   */
  rewind(ref: ConversationRef): void {
    this.#timeline.rewind(ref);
  }

  /**
   * Sets the head after the replay. The head is the newest record above position `logLength` that descends from `ref`.
   * Without such a record, the head is `ref`.
   */
  restoreHead(ref: ConversationRef, logLength: number): void {
    this.#timeline.restoreHead(ref, logLength);
  }

  /**
   * Logs the position of the head. Call this method before the removal of a checkpoint that moved the head, and after a
   * move of the head without a checkpoint.
   */
  recordHead(): void {
    this.#timeline.recordHead();
  }

  /** Frees all states except those in `kept` and the state of the head. */
  forgetAllBut(kept: Iterable<ConversationRef>): void {
    this.#timeline.forgetAllBut(kept);
  }

  /**
   * Adds an exchange and its transcript lines. The exchange answers the message that the user was about to send.
   * @throws MessageTooLarge
   */
  append(input: EntryInput, idempotency?: Idempotency): AppendResult {
    const entry = checkEntry(input, newEntryId(), 'entry', this.#limits);
    return this.#timeline.commit(
      { op: 'append', entry },
      (before, after) => ({
        id: entry.id,
        dropped: before.thread.history.length + 1 - after.thread.history.length,
        ...lengthsOf(after.thread),
      }),
      idempotency,
    );
  }

  /**
   * Adds lines that belong to no exchange: errors, notes, or input of the user. If `user` is true, puts `> ` before
   * each line.
   */
  appendTranscript(
    text: unknown,
    options: { readonly user?: boolean | undefined; readonly idempotency?: Idempotency | undefined } = {},
  ): { lines: number; dropped: number; transcriptLength: number } {
    const whole = wellFormed(text, 'text');
    checkLength(whole, this.#limits.messageChars, 'text');
    const lines = options.user === true ? userLines(whole) : whole.split('\n');
    return this.#timeline.commit(
      { op: 'appendTranscript', lines },
      (before, after) => ({
        lines: lines.length,
        dropped: before.thread.transcript.length + lines.length - after.thread.transcript.length,
        transcriptLength: after.thread.transcript.length,
      }),
      options.idempotency,
    );
  }

  /**
   * Sets the message that the user will send next; undefined removes this message. The text of the message becomes the
   * description of the next turn, unless an earlier text is locked. With `lock`, the text of a later message does not
   * replace this text. An empty message becomes "Empty prompt" (C37).
   */
  setNextMessage(
    asked: unknown,
    options: { readonly lock?: boolean | undefined; readonly idempotency?: Idempotency | undefined } = {},
  ): NextMessageResult {
    const { message, warnings } = nextMessageFrom(asked, this.#limits);
    const lock = options.lock ?? false;
    if (lock && message === undefined)
      refuse('lock', 'locks a message, but no message is set. Send the message too.');
    return this.#timeline.commit(
      message === undefined
        ? { op: 'setNextMessage', lock }
        : { op: 'setNextMessage', lock, message, text: textOf(message.content) },
      (before, { thread }) => ({
        accepted: !before.thread.messageLocked,
        messageLocked: thread.messageLocked,
        warnings,
        pendingUserMessage: thread.pendingUserMessage,
      }),
      options.idempotency,
    );
  }

  /**
   * Returns the text that describes the next turn, and a position of the conversation. In the state at this position,
   * the text is already removed and unlocked. Publishing the turn's checkpoint with this position removes the text. If
   * the daemon is killed before this publication, the text stays. A rewind to the checkpoint does not restore the text.
   */
  proposeConsumed(): { readonly message: string | undefined; readonly head: ConversationRef } | undefined {
    const { pendingUserMessage, messageLocked } = this.#timeline.present.thread;
    if (pendingUserMessage === undefined && !messageLocked) return undefined;
    return { message: pendingUserMessage, head: this.#timeline.propose({ op: 'consumeMessage' }) };
  }

  /**
   * Clears history, valid range, transcript, summary, next message and trackers. Keeps the settings and an
   * open tangent.
   */
  clear(idempotency?: Idempotency): Lengths {
    return this.#timeline.commit({ op: 'clear' }, newLengths, idempotency);
  }

  /**
   * Sets the valid range. If the first entry of the range contains tool results, the range begins at the next turn
   * instead.
   * @throws InvalidRange for a range that is out of bounds
   */
  setValidRange(start: number, end: number, idempotency?: Idempotency): Lengths {
    const range = requestedRange(this.#timeline.present.thread.history, start, end);
    return this.#timeline.commit({ op: 'setValidRange', range }, newLengths, idempotency);
  }

  /**
   * Stores a summary that replaces the history before the valid range. If `keep` is a number, the valid range becomes
   * the last `keep` entries. If `keep` is an id, the range begins with this entry. The range is extended to whole
   * turns. No entry is removed, so a rewind undoes the compaction.
   * @throws UnknownEntry, MessageTooLarge
   */
  compact(
    request: {
      readonly summary: unknown;
      readonly metadata?: unknown;
      readonly keep?: number | EntryId | undefined;
    },
    idempotency?: Idempotency,
  ): Lengths {
    const text = wellFormed(request.summary, 'summary');
    checkLength(text, this.#limits.messageChars, 'summary');
    const metadata = clientObject(request.metadata ?? {}, 'metadata');
    const { history } = this.#timeline.present.thread;
    const wanted = request.keep ?? 0;
    const keep = typeof wanted === 'string' ? history.length - positionOf(history, wanted) : wanted;
    if (!Number.isSafeInteger(keep) || keep < 0)
      refuse('keep', 'must be a count of entries, or an entry id.');
    return this.#timeline.commit(
      { op: 'compact', summary: { text, metadata }, keep },
      newLengths,
      idempotency,
    );
  }

  /**
   * Removes the last `messages` messages of the user, and all answers and tool results that follow them. The transcript
   * does not change, because it shows everything that was said. A rewind undoes the removal.
   */
  forget(messages: number, idempotency?: Idempotency): ForgetResult {
    const { history, latestSummary, validRange } = this.#timeline.present.thread;
    const { start, found } = lastMessages(history, messages);
    const forgotten = { messages: found, entries: history.length - start };
    const isSummed = latestSummary !== undefined && start < Math.min(validRange.start, history.length);
    const warnings = isSummed
      ? ['The summary of conversation/compact still mentions the removed messages. Make a new summary.']
      : [];
    return this.#timeline.commit(
      { op: 'forget', length: start },
      (_before, after) => ({ forgotten, warnings, ...lengthsOf(after.thread) }),
      idempotency,
    );
  }

  /** Records how many lines a write of the agent changed (C31). */
  recordLines(write: LineWrite, idempotency?: Idempotency): LineReport {
    checkLineWrite(write);
    const tracker = trackWrite(this.#timeline.present.thread.fileLineTracker.get(write.path), write);
    return this.#timeline.commit(
      { op: 'recordLines', path: write.path, tracker },
      () => reportLines(tracker),
      idempotency,
    );
  }

  /**
   * Replaces the thread and the settings with those of a document, in one step. The document is JSON text or a JSON
   * value. The conversation keeps its id. @throws DocumentInvalid, DocumentVersion, MessageTooLarge,
   * PathOutsideWorkTree, AbortError. After an error, nothing has changed
   */
  async import(
    source: unknown,
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly idempotency?: Idempotency | undefined;
    } = {},
  ): Promise<ImportResult> {
    const { signal, idempotency } = options;
    signal?.throwIfAborted();
    const read = await readDocument(source, this.#limits, this.#clock.now(), signal);
    const slices = new Slices(signal);
    const parts: number[] = [];
    for (const part of partsOf(read.moment)) {
      parts.push(this.#timeline.addPart(part));
      if (slices.isDue()) await slices.pause();
    }
    const { conversationId, dropped, transcriptDropped, warnings } = read;
    const result = { ...lengthsOf(read.moment.thread), dropped, transcriptDropped, conversationId, warnings };
    return this.#timeline.commitImport(parts, remainderOf(read.moment), result, idempotency);
  }

  get #limits(): ConversationLimits {
    return this.#timeline.present.settings.limits;
  }
}

/** Returns the lengths of the conversation after a change. */
const newLengths = (_before: Moment, after: Moment): Lengths => lengthsOf(after.thread);

/**
 * Checks and returns the message that the user will send next. Returns undefined for null and undefined. Replaces an
 * empty message with a text, because models refuse a message without text.
 * @throws InvalidParams, MessageTooLarge
 */
export function nextMessageFrom(
  given: unknown,
  limits: ConversationLimits,
): { message: UserMessage | undefined; warnings: string[] } {
  if (given === undefined || given === null) return { message: undefined, warnings: [] };
  const asked = checkUser(typeof given === 'string' ? { content: given } : given, 'message', limits);
  const isEmpty = textOf(asked.content) === '' && (asked.toolResults ?? []).length === 0;
  if (!isEmpty) return { message: asked, warnings: [] };
  const warnings = ['The message was empty and was replaced by "Empty prompt".'];
  return { message: { ...asked, content: 'Empty prompt' }, warnings };
}

/**
 * The client's settings for a conversation: tools, model, MCP, limits, and run-time objects. A rewind does not change
 * these settings.
 */
class ClientSettings {
  readonly #timeline: Timeline;
  #runtime: RuntimeObjects = {};

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /**
   * Changes the limits for all later operations. Logs the new limits, so that a replay of the log removes the same
   * entries.
   */
  setLimits(limits: Partial<ConversationLimits>): void {
    for (const value of Object.values(limits)) {
      if (!Number.isSafeInteger(value) || value < 1) refuse('limits', 'must be whole numbers above 0.');
    }
    const next = { ...this.#timeline.present.settings.limits, ...limits };
    this.#timeline.commit({ op: 'setLimits', limits: next }, () => undefined);
  }

  setTools(given: unknown, idempotency?: Idempotency): { tools: number } {
    const tools = checkTools(given);
    const count = Object.values(tools).reduce((sum, list) => sum + list.length, 0);
    return this.#timeline.commit({ op: 'setTools', tools }, () => ({ tools: count }), idempotency);
  }

  /**
   * Sets the model, which is given as an object or as an id. If the size of the window is missing, uses a default value
   * and warns (C30).
   */
  setModel(given: unknown, idempotency?: Idempotency): { modelInfo: ModelInfo; warnings: readonly string[] } {
    const { info, warnings } = knownModel(given);
    return this.#timeline.commit(
      { op: 'setModel', modelInfo: info },
      () => ({ modelInfo: info, warnings }),
      idempotency,
    );
  }

  setMcpEnabled(enabled: unknown, idempotency?: Idempotency): { mcpEnabled: boolean } {
    if (typeof enabled !== 'boolean') refuse('mcpEnabled', 'must be true or false.');
    const operation = { op: 'setMcpEnabled', enabled } as const;
    return this.#timeline.commit(operation, () => ({ mcpEnabled: enabled }), idempotency);
  }

  /**
   * Keeps the client's run-time objects in memory until the process ends. The client must send these objects again when
   * it reopens the session.
   */
  setRuntime(objects: RuntimeObjects): void {
    this.#runtime = { ...this.#runtime, ...objects };
  }

  get runtime(): RuntimeObjects {
    return this.#runtime;
  }
}

/** The tangents of a session: enter, leave, status. The session handles the files of a tangent. */
class TangentMode {
  readonly #timeline: Timeline;
  readonly #clock: Clock;

  constructor(timeline: Timeline, clock: Clock) {
    this.#timeline = timeline;
    this.#clock = clock;
  }

  /**
   * Enters a tangent and puts the main conversation aside. If the conversation is already in a tangent, does nothing
   * and returns `entered: false`.
   */
  enter(
    options: {
      readonly filesCheckpoint?: string | undefined;
      readonly idempotency?: Idempotency | undefined;
    } = {},
  ): { entered: boolean; filesCheckpoint?: string | undefined } {
    const { filesCheckpoint, idempotency } = options;
    const operation = { op: 'enterTangent', startMs: this.#clock.now() } as const;
    return this.#timeline.commit(
      filesCheckpoint === undefined ? operation : { ...operation, filesCheckpoint },
      (before) =>
        before.thread.tangent === undefined ? { entered: true, filesCheckpoint } : { entered: false },
      idempotency,
    );
  }

  /**
   * Returns to the main conversation. If `keepTail` is true and the tangent has entries, adds the tangent's last entry
   * to the main conversation.
   */
  exit(
    options: { readonly keepTail?: boolean | undefined; readonly idempotency?: Idempotency | undefined } = {},
  ): ExitResult {
    const keepTail = options.keepTail ?? false;
    return this.#timeline.commit(
      { op: 'exitTangent', keepTail },
      ({ thread }, after) => ({
        exited: thread.tangent !== undefined,
        tail: keepTail ? tailOf(thread)?.id : undefined,
        filesCheckpoint: thread.tangent?.filesCheckpoint,
        ...lengthsOf(after.thread),
      }),
      options.idempotency,
    );
  }

  /**
   * Prepares to leave a tangent with files. Logs the state that follows the tangent, without moving the head. The
   * restore of the files publishes a checkpoint with this state. So either both files and conversation are restored, or
   * neither.
   */
  proposeExit(): ConversationRef {
    return this.#timeline.propose({ op: 'exitTangent', keepTail: false });
  }

  /**
   * Returns whether the conversation is in a tangent. In a tangent, also returns the tangent's age in whole seconds
   * (C20) and the number of entries that the tangent added.
   */
  status(): { active: boolean; durationSeconds?: number; added?: number } {
    const { tangent, history } = this.#timeline.present.thread;
    if (tangent === undefined) return { active: false };
    return {
      active: true,
      durationSeconds: tangentSeconds(tangent, this.#clock.now()),
      added: addedBy(tangent, history),
    };
  }
}
