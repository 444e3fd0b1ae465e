// The conversation of a session. This module checks the requests of a client, applies them to the timeline, and returns
// the results. The states of a conversation are immutable values. A checkpoint stores a reference to a state. The
// context files are in context.ts. This module moves no files, does not use the protocol, and runs no model.
import { type Clock, systemClock } from '../base/clock.ts';
import { Slices } from '../base/slices.ts';
import { clientObject, refuse, wellFormed } from './client-object.ts';
import { ClientSettings } from './client-settings.ts';
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
import type { RecordLog } from './log/session-log.ts';
import { type ConversationRef, type Idempotency, type Keyed, Timeline } from './log/timeline.ts';
import type { ConversationLimits } from './settings.ts';
import { type ConversationState, type Lengths, lengthsOf, type Moment } from './state/state.ts';
import { TangentMode } from './tangent.ts';
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

/** The timeline of a session, which a client changes by checked requests. */
export class Conversation extends Timeline {
  readonly conversationId: string;
  readonly context: StickyContext;
  readonly settings: ClientSettings;
  readonly tangents: TangentMode;
  readonly #clock: Clock;

  /** Creates an empty conversation. The caller must replay the log's records before using the conversation. */
  constructor(conversationId: string, log: RecordLog, clock: Clock = systemClock) {
    super(log);
    this.conversationId = conversationId;
    this.#clock = clock;
    this.context = new StickyContext(this);
    this.settings = new ClientSettings(this);
    this.tangents = new TangentMode(this, clock);
  }

  /** The current state. */
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
    const { settings } = this.present;
    return { conversationId: this.conversationId, ...this.threadAt(ref), ...settings };
  }

  /**
   * Adds an exchange and its transcript lines. The exchange answers the message that the user was about to send.
   * @throws MessageTooLarge
   */
  append(input: EntryInput, idempotency?: Idempotency): AppendResult {
    const entry = checkEntry(input, newEntryId(), 'entry', this.#limits);
    return this.commit(
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
    options: Keyed & { readonly user?: boolean | undefined } = {},
  ): { lines: number; dropped: number; transcriptLength: number } {
    const whole = wellFormed(text, 'text');
    checkLength(whole, this.#limits.messageChars, 'text');
    const lines = options.user === true ? userLines(whole) : whole.split('\n');
    return this.commit(
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
    options: Keyed & { readonly lock?: boolean | undefined } = {},
  ): NextMessageResult {
    const { message, warnings } = nextMessageFrom(asked, this.#limits);
    const lock = options.lock ?? false;
    if (lock && message === undefined)
      refuse('lock', 'locks a message, but no message is set. Send the message too.');
    return this.commit(
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
    const { pendingUserMessage, messageLocked } = this.present.thread;
    if (pendingUserMessage === undefined && !messageLocked) return undefined;
    return { message: pendingUserMessage, head: this.propose({ op: 'consumeMessage' }) };
  }

  /**
   * Clears history, valid range, transcript, summary, next message and trackers. Keeps the settings and an
   * open tangent.
   */
  clear(idempotency?: Idempotency): Lengths {
    return this.commit({ op: 'clear' }, newLengths, idempotency);
  }

  /**
   * Sets the valid range. If the first entry of the range contains tool results, the range begins at the next turn
   * instead.
   * @throws InvalidRange for a range that is out of bounds
   */
  setValidRange(start: number, end: number, idempotency?: Idempotency): Lengths {
    const range = requestedRange(this.present.thread.history, start, end);
    return this.commit({ op: 'setValidRange', range }, newLengths, idempotency);
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
    const { history } = this.present.thread;
    const wanted = request.keep ?? 0;
    const keep = typeof wanted === 'string' ? history.length - positionOf(history, wanted) : wanted;
    if (!Number.isSafeInteger(keep) || keep < 0)
      refuse('keep', 'must be a count of entries, or an entry id.');
    return this.commit({ op: 'compact', summary: { text, metadata }, keep }, newLengths, idempotency);
  }

  /**
   * Removes the last `messages` messages of the user, and all answers and tool results that follow them. The transcript
   * does not change, because it shows everything that was said. A rewind undoes the removal.
   */
  forget(messages: number, idempotency?: Idempotency): ForgetResult {
    const { history, latestSummary, validRange } = this.present.thread;
    const { start, found } = lastMessages(history, messages);
    const forgotten = { messages: found, entries: history.length - start };
    const isSummed = latestSummary !== undefined && start < Math.min(validRange.start, history.length);
    const warnings = isSummed
      ? ['The summary of conversation/compact still mentions the removed messages. Make a new summary.']
      : [];
    return this.commit(
      { op: 'forget', length: start },
      (_before, after) => ({ forgotten, warnings, ...lengthsOf(after.thread) }),
      idempotency,
    );
  }

  /** Records how many lines a write of the agent changed (C31). */
  recordLines(write: LineWrite, idempotency?: Idempotency): LineReport {
    checkLineWrite(write);
    const tracker = trackWrite(this.present.thread.fileLineTracker.get(write.path), write);
    return this.commit(
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
    { signal, idempotency }: Keyed & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ImportResult> {
    signal?.throwIfAborted();
    const read = await readDocument(source, this.#limits, this.#clock.now(), signal);
    const slices = new Slices(signal);
    const parts: number[] = [];
    for (const part of partsOf(read.moment)) {
      parts.push(this.addPart(part));
      if (slices.isDue()) await slices.pause();
    }
    const { conversationId, dropped, transcriptDropped, warnings } = read;
    const result = { ...lengthsOf(read.moment.thread), dropped, transcriptDropped, conversationId, warnings };
    return this.commitImport(parts, remainderOf(read.moment), result, idempotency);
  }

  get #limits(): ConversationLimits {
    return this.present.settings.limits;
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
