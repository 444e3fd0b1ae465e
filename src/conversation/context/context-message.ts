// The message that carries the sticky context to a model: its markers exactly, newlines included (C7). It
// builds text; choosing and reading the files is context.ts.

export const contextEntryStart = '--- CONTEXT ENTRY BEGIN ---\n';
export const contextEntryEnd = '--- CONTEXT ENTRY END ---\n\n';

const summaryPreamble =
  'What follows is a summary of the conversation up to now, tool uses and results included. The messages it ' +
  'stands for are no longer there: rely on it, and say so where an answer rests on it.\n\n';

export interface ContextParts {
  readonly summary: string | undefined;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  /** Outputs of the client's hooks, one context entry each. */
  readonly hooks: readonly string[];
  readonly agentPrompt: string | undefined;
}

/** The message, or '' when there is no context at all: then nothing is to be sent. */
export function contextMessage(parts: ContextParts): string {
  let message = '';
  if (parts.summary !== undefined) {
    message += `${contextEntryStart}${summaryPreamble}SUMMARY CONTENT:\n${parts.summary}\n${contextEntryEnd}`;
  }
  if (parts.files.length > 0) {
    const contents = parts.files.map(({ path, content }) => `[${path}]\n${content}\n`);
    message += `${contextEntryStart}${contents.join('')}${contextEntryEnd}`;
  }
  for (const output of parts.hooks) message += `${contextEntryStart}${output}\n${contextEntryEnd}`;
  if (parts.agentPrompt !== undefined) message += `Follow this instruction: ${parts.agentPrompt}`;
  return message;
}
