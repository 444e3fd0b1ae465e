// How an agent is told something at a prompt, where its hooks allow it: the exact output that it reads as context.

/** What to print; undefined for an agent that documents no way. */
export function contextFor(agent: string, text: string): string | undefined {
  switch (agent) {
    case 'claude-code':
    case 'codex':
      return hookOutput('UserPromptSubmit', text);
    case 'gemini':
      return hookOutput('BeforeAgent', text);
    case 'copilot':
      return JSON.stringify({ additionalContext: text });
    case 'opencode':
    case 'pi':
      return text; // our own plugin reads it
    default:
      return undefined;
  }
}

function hookOutput(hookEventName: string, additionalContext: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });
}
