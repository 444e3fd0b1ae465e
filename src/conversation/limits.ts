// The bounds of a conversation. It enforces none of them: each part checks its own.

export interface ConversationLimits {
  /** Entries of the history; the oldest go first (C6). */
  readonly historyEntries: number;
  /** Lines of the transcript; the oldest go first. */
  readonly transcriptLines: number;
  /** Characters of the text of a message, a summary or one call of appendTranscript. */
  readonly messageChars: number;
  /** Characters of all texts of one tool result. */
  readonly toolResultChars: number;
}

export const defaultLimits: ConversationLimits = {
  historyEntries: 10_000,
  transcriptLines: 10_000,
  messageChars: 400_000,
  toolResultChars: 400_000,
};
