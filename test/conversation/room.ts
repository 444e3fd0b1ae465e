// A conversation with a log in memory, with messages, and with a clock that the test controls.
import type { Clock } from '../../src/base/clock.ts';
import { Conversation } from '../../src/conversation/conversation.ts';
import type { LogRecord, RecordLog } from '../../src/conversation/log/session-log.ts';

/** A log in memory, which is lost when the process ends. */
export class MemoryLog implements RecordLog {
  readonly records: LogRecord[] = [];

  get length(): number {
    return this.records.length;
  }

  append(record: LogRecord): number {
    return this.records.push(record);
  }
}

export class TestClock implements Clock {
  ms = Date.UTC(2025, 9, 25, 12);
  now(): number {
    return this.ms;
  }
  monotonic(): number {
    return this.ms;
  }
}

export interface Room {
  readonly log: MemoryLog;
  readonly clock: TestClock;
  readonly conversation: Conversation;
}

export function room(): Room {
  const log = new MemoryLog();
  const clock = new TestClock();
  return { log, clock, conversation: new Conversation('conv-1', log, clock) };
}

export const said = (user: string, assistant = 'ok'): { user: object; assistant: object } => ({
  user: { content: user },
  assistant: { content: assistant },
});

export const answered = (id: string): { user: object; assistant: object } => ({
  user: { content: '', toolResults: [{ toolUseId: id, content: 'result' }] },
  assistant: { content: 'more' },
});

export const contents = (conversation: Conversation): unknown[] =>
  conversation.state.history.slice().map((entry) => entry.user.content);

/** Returns the conversation that another process reads from the log. */
export function reopened({ log, clock, conversation }: Room): Conversation {
  const again = new Conversation(conversation.conversationId, log, clock);
  for (const [index, record] of log.records.entries()) {
    again.replay(index + 1, JSON.parse(JSON.stringify(record)) as typeof record);
  }
  return again;
}
