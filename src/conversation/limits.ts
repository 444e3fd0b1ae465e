// The bounds of a conversation, with the values of 002 and of the program behind it. It enforces none of them:
// each part checks its own.

export interface ConversationLimits {
  /** Entries of the history; the oldest go first (002's MAX_CONVERSATION_STATE_HISTORY_LEN). */
  readonly historyEntries: number;
  /** Lines of the transcript; the oldest go first. */
  readonly transcriptLines: number;
  /** UTF-16 units of the text of a message, a summary or one call of appendTranscript. */
  readonly messageChars: number;
  /** UTF-16 units of all texts of one tool result. */
  readonly toolResultChars: number;
}

export const defaultLimits: ConversationLimits = {
  historyEntries: 10_000,
  transcriptLines: 10_000,
  messageChars: 400_000,
  toolResultChars: 400_000,
};
