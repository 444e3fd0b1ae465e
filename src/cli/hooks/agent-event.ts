// What all agents report, in one form: a conversation starts, a prompt was given, a tool has finished, the
// conversation ends. Payloads are read by payloads.ts; keeper.ts acts on them.

export interface AgentEvent {
  /** The agent's name, as `checkpointd hook` takes it. */
  readonly agent: string;
  /** The agent's own id of the conversation. */
  readonly conversation: string;
  /** Where the agent works: an absolute path. */
  readonly directory: string;
  readonly kind: 'start' | 'prompt' | 'tool' | 'end';
  /** When the agent told it: the start of the hook, ms since 1970. */
  readonly atMs?: number;
  /** Of a prompt. */
  readonly text?: string;
  /** Of a tool: its name. */
  readonly tool?: string;
  /** Of a tool that edits: the paths it reports, absolute or relative to the directory. */
  readonly files?: readonly string[];
  /** What tells this call from others, where the agent says so: the same event told twice is one checkpoint. */
  readonly call?: string;
}

/** An event, or why there is nothing to do: `quiet` for what is expected and needs no line in the log. */
export type ReadEvent = AgentEvent | { readonly nothing: string; readonly quiet?: true };
