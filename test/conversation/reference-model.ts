// A simple model of a conversation, made of plain arrays. The real conversation shares arrays between states, but the
// model copies them. The model and the conversation must give the same results. The model follows the rules of the
// reference literally, even where this is slow.
import type { ConversationDocument } from '../../src/conversation/document/conversation-json.ts';

export interface ModelEntry {
  readonly id: string;
  readonly user: {
    readonly content: string;
    readonly toolResults?: readonly { readonly toolUseId: string }[];
  };
  readonly assistant: {
    readonly content: string;
    readonly toolUses?: readonly { id: string; name: string }[];
  };
}

export interface ModelThread {
  history: ModelEntry[];
  range: [number, number];
  transcript: string[];
  next: { content: string } | undefined;
  pending: string | undefined;
  locked: boolean;
  summary: [string, object] | undefined;
  trackers: Record<string, { before: number; after: number; prev: number; added: number; removed: number }>;
  tangent:
    | {
        history: ModelEntry[];
        range: [number, number];
        transcript: string[];
        next: { content: string } | undefined;
        summary: [string, object] | undefined;
        start: number;
      }
    | undefined;
}

export const newThread = (): ModelThread => ({
  history: [],
  range: [0, 0],
  transcript: [],
  next: undefined,
  pending: undefined,
  locked: false,
  summary: undefined,
  trackers: {},
  tangent: undefined,
});

export class ReferenceModel {
  thread = newThread();
  caps = { entries: 10_000, lines: 10_000 };
  tools: Record<string, object[]> = {};
  paths: string[] = [];
  window: number | undefined;
  mcp = true;

  append(entry: ModelEntry): { dropped: number; range: [number, number] } {
    const { dropped } = this.#push(entry);
    this.thread.next = undefined;
    return { dropped, range: [...this.thread.range] };
  }

  lines(lines: readonly string[]): void {
    this.thread.transcript = [...this.thread.transcript, ...lines].slice(-this.caps.lines);
  }

  setNext(content: string, lock: boolean): void {
    this.thread.next = { content };
    if (!this.thread.locked) this.thread.pending = content;
    if (lock) this.thread.locked = true;
  }

  consume(): string | undefined {
    const { pending } = this.thread;
    this.thread.pending = undefined;
    this.thread.locked = false;
    return pending;
  }

  clear(): void {
    this.thread = { ...newThread(), tangent: this.thread.tangent };
  }

  /**
   * Sets the range, after moving its start to the start of the next turn. Returns true if the range is within the
   * history.
   */
  setRange(start: number, end: number): boolean {
    const { history } = this.thread;
    if (start > end || end > history.length) return false;
    this.thread.range = [Math.min(end, this.#turnFrom(start)), end];
    return true;
  }

  compact(text: string, keep: number): [number, number] {
    const { history, range } = this.thread;
    this.thread.summary = [text, { keep }];
    const end = history.length;
    let start = Math.max(range[0], end - keep);
    if (keep === 0) start = end;
    else while (start > range[0] && this.#isAnswer(start)) start -= 1;
    this.thread.range = [this.#turnFrom(start), end];
    return this.thread.range;
  }

  /**
   * Removes the last messages. A message begins with an entry of the user, and the first message also begins at the
   * start of the history.
   */
  forget(messages: number): { messages: number; entries: number } {
    const { history, range } = this.thread;
    const begins = history.map((_, index) => index).filter((index) => index === 0 || !this.#isAnswer(index));
    const kept = begins.slice(-messages)[0] ?? 0;
    this.thread.history = history.slice(0, kept);
    this.thread.range = range.map((at) => Math.min(at, kept)) as [number, number];
    return { messages: Math.min(messages, begins.length), entries: history.length - kept };
  }

  enter(now: number): boolean {
    if (this.thread.tangent !== undefined) return false;
    const { history, range, transcript, next, summary } = structuredClone(this.thread);
    this.thread.tangent = { history, range, transcript, next, summary, start: now };
    return true;
  }

  exit(keepTail: boolean): { exited: boolean; tail?: string } {
    const { tangent, history } = this.thread;
    if (tangent === undefined) return { exited: false };
    const last = history.at(-1);
    const mine = last !== undefined && !tangent.history.some(({ id }) => id === last.id) ? last : undefined;
    const { start: _start, ...main } = tangent;
    Object.assign(this.thread, main, { pending: undefined, locked: false, tangent: undefined });
    if (!keepTail || mine === undefined) return { exited: true };
    this.#push(mine);
    return { exited: true, tail: mine.id };
  }

  recordLines(path: string, before: number, after: number): number {
    const known = this.thread.trackers[path];
    const prev = known === undefined ? 0 : known.after;
    this.thread.trackers[path] = { before, after, prev, added: after, removed: 0 };
    return before - prev;
  }

  /** Imports the document of `thread`, and applies the present limits. */
  import(thread: ModelThread): void {
    const trimmed = structuredClone(thread);
    for (const part of [trimmed, trimmed.tangent]) {
      if (part === undefined) continue;
      const over = Math.max(0, part.history.length - this.caps.entries);
      part.history = part.history.slice(over);
      part.transcript = part.transcript.slice(-this.caps.lines);
      let [start, end] = part.range.map((at) => Math.max(0, at - over)) as [number, number];
      while (start < end && part.history[start]?.user.toolResults !== undefined) start += 1;
      part.range = [start, end];
    }
    this.thread = trimmed;
  }

  /** Returns the present document, as the real conversation should write it. */
  document(conversationId: string): ConversationDocument {
    const { thread } = this;
    const { tangent } = thread;
    const trackers = Object.entries(thread.trackers).sort(([a], [b]) => (a < b ? -1 : 1));
    const document = {
      format_version: 1,
      conversation_id: conversationId,
      next_message: thread.next,
      history: thread.history,
      valid_history_range: thread.range,
      transcript: thread.transcript,
      tools: this.tools,
      context_manager: {
        max_context_files_size: Math.floor((this.window ?? 200_000) * 0.75),
        paths: this.paths,
      },
      latest_summary: thread.summary,
      model_info:
        this.window === undefined ? undefined : { model_id: 'm', context_window_tokens: this.window },
      file_line_tracker: Object.fromEntries(
        trackers.map(([path, { prev, before, after, added, removed }]) => [
          path,
          {
            prev_fswrite_lines: prev,
            before_fswrite_lines: before,
            after_fswrite_lines: after,
            lines_added_by_agent: added,
            lines_removed_by_agent: removed,
            is_first_write: false,
          },
        ]),
      ),
      mcp_enabled: this.mcp,
      tangent_state: tangent && {
        main_history: tangent.history,
        main_next_message: tangent.next,
        main_transcript: tangent.transcript,
        main_latest_summary: tangent.summary,
        tangent_start_time: new Date(tangent.start).toISOString(),
        main_valid_history_range: tangent.range,
      },
      pending_user_message: thread.pending,
      message_locked: thread.locked || undefined,
    };
    return JSON.parse(JSON.stringify(document)) as ConversationDocument;
  }

  #isAnswer(index: number): boolean {
    return this.thread.history[index]?.user.toolResults !== undefined;
  }

  #turnFrom(start: number): number {
    const { length } = this.thread.history;
    let index = start;
    while (index < length && this.#isAnswer(index)) index += 1;
    return index;
  }

  #push(entry: ModelEntry): { dropped: number } {
    const { thread } = this;
    const [start, end] = thread.range;
    thread.history.push(entry);
    const dropped = Math.max(0, thread.history.length - this.caps.entries);
    thread.history.splice(0, dropped);
    const { length } = thread.history;
    thread.range = [this.#turnFrom(start === end ? length - 1 : Math.max(0, start - dropped)), length];
    const user = entry.user.content === '' ? [] : entry.user.content.split('\n').map((line) => `> ${line}`);
    const answer = entry.assistant.content === '' ? [] : entry.assistant.content.split('\n');
    const tools = (entry.assistant.toolUses ?? []).map(({ name }) => name).join(',') || 'none';
    this.lines([...user, ...answer, `[Tool uses: ${tools}]`]);
    return { dropped };
  }
}
