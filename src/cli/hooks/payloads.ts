// Parses the events of all agents and returns them in one common form. agent-hooks.md beside this file documents the
// agents and their versions. keeper.ts processes the events.
import { isAbsolute } from 'node:path';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';

interface Dialect {
  readonly events: Readonly<Record<string, AgentEvent['kind'] | 'ignored'>>;
  readonly event: (payload: JsonObject) => unknown;
  readonly conversation: (payload: JsonObject) => unknown;
  readonly directory: (payload: JsonObject) => unknown;
  readonly tool: (payload: JsonObject) => unknown;
  readonly input: (payload: JsonObject) => unknown;
  readonly call?: (payload: JsonObject) => unknown;
  /** The tools that write a file. The input of these tools contains the file's path. */
  readonly editors: readonly string[];
  readonly fileFields: readonly string[];
}

const snake = {
  event: ({ hook_event_name }: JsonObject) => hook_event_name,
  conversation: ({ session_id }: JsonObject) => session_id,
  directory: ({ cwd }: JsonObject) => cwd,
  tool: ({ tool_name }: JsonObject) => tool_name,
  input: ({ tool_input }: JsonObject) => tool_input,
  call: ({ tool_use_id }: JsonObject) => tool_use_id,
  fileFields: ['file_path', 'notebook_path'],
} as const;

/** The names of the events that our own plugins send. */
const ofOurPlugins = {
  event: ({ event }: JsonObject) => event,
  conversation: ({ sessionID }: JsonObject) => sessionID,
  directory: ({ directory }: JsonObject) => directory,
  tool: ({ tool }: JsonObject) => tool,
  input: ({ args }: JsonObject) => args,
  call: ({ callID }: JsonObject) => callID,
  events: { start: 'start', prompt: 'prompt', tool: 'tool', end: 'end' },
} as const;

const claudeEvents = {
  SessionStart: 'start',
  UserPromptSubmit: 'prompt',
  PostToolUse: 'tool',
  PostToolUseFailure: 'tool',
  SessionEnd: 'end',
  PreToolUse: 'ignored',
  Stop: 'ignored',
  StopFailure: 'ignored',
  SubagentStop: 'ignored',
  Notification: 'ignored',
  PreCompact: 'ignored',
} as const;

const dialects: Readonly<Record<string, Dialect>> = {
  'claude-code': {
    ...snake,
    events: claudeEvents,
    editors: ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
  },
  codex: { ...snake, events: claudeEvents, editors: ['apply_patch'] },
  gemini: {
    ...snake,
    events: {
      SessionStart: 'start',
      BeforeAgent: 'prompt',
      AfterTool: 'tool',
      SessionEnd: 'end',
      BeforeTool: 'ignored',
      AfterAgent: 'ignored',
      BeforeModel: 'ignored',
      AfterModel: 'ignored',
      BeforeToolSelection: 'ignored',
      PreCompress: 'ignored',
      Notification: 'ignored',
    },
    editors: ['write_file', 'replace'],
  },
  cursor: {
    ...snake,
    conversation: ({ conversation_id, session_id }) => conversation_id ?? session_id,
    directory: ({ cwd, workspace_roots: roots }) => {
      const [root]: readonly unknown[] = Array.isArray(roots) ? roots : [];
      return root ?? cwd;
    },
    events: {
      sessionStart: 'start',
      beforeSubmitPrompt: 'prompt',
      postToolUse: 'tool',
      postToolUseFailure: 'tool',
      sessionEnd: 'end',
      preToolUse: 'ignored',
      stop: 'ignored',
    },
    editors: ['Write', 'Delete', 'Edit', 'StrReplace'],
    fileFields: ['file_path', 'path'],
  },
  copilot: {
    event: ({ hookEvent }) => hookEvent,
    conversation: ({ sessionId }) => sessionId,
    directory: ({ cwd }) => cwd,
    tool: ({ toolName }) => toolName,
    input: ({ toolArgs }) => toolArgs,
    events: {
      sessionStart: 'start',
      userPromptSubmitted: 'prompt',
      postToolUse: 'tool',
      postToolUseFailure: 'tool',
      sessionEnd: 'end',
    },
    editors: ['create', 'edit', 'str_replace'],
    fileFields: ['path'],
  },
  opencode: {
    ...ofOurPlugins,
    editors: ['write', 'edit', 'patch', 'apply_patch'],
    fileFields: ['filePath', 'path'],
  },
  pi: { ...ofOurPlugins, editors: ['write', 'edit'], fileFields: ['path'] },
};

/** The supported agents, in the order in which commands list them. */
export const agentNames: readonly string[] = Object.keys(dialects);

/**
 * Parses one event. `given` is the event's name from the command line. This name is used if the payload contains no
 * name.
 */
export function readEvent(agent: string, text: string, given?: string): ReadEvent {
  const dialect = Object.hasOwn(dialects, agent) ? dialects[agent] : undefined;
  if (dialect === undefined) return { nothing: `checkpointd does not know the agent ${agent}` };
  if (text.trim() === '') return { nothing: 'empty input' };
  const payload = parseJson(text);
  if (payload === undefined)
    return { nothing: `the input is not JSON, or was cut (${text.length} characters)` };
  if (!isObject(payload)) return { nothing: 'the input is not an object' };
  if (agent === 'claude-code' && 'cursor_version' in payload)
    return readAs('cursor', dialects['cursor'] ?? dialect, payload);
  return readAs(agent, dialect, given === undefined ? payload : { ...payload, hookEvent: given });
}

function readAs(agent: string, dialect: Dialect, payload: JsonObject): ReadEvent {
  const name = dialect.event(payload);
  if (typeof name !== 'string') return { nothing: 'the input names no event' };
  const kind = Object.hasOwn(dialect.events, name) ? dialect.events[name] : undefined;
  if (kind === undefined) return { nothing: `the event ${name} is unknown` };
  if (kind === 'ignored') return { nothing: name, quiet: true };
  const conversation = dialect.conversation(payload);
  const directory = dialect.directory(payload);
  if (typeof conversation !== 'string' || conversation === '')
    return { nothing: `the event ${name} has no conversation id` };
  if (typeof directory !== 'string' || !isAbsolute(directory))
    return { nothing: `the event ${name} has no directory` };
  return { agent, conversation, directory, kind, ...detailsOf(kind, dialect, payload) };
}

function detailsOf(kind: AgentEvent['kind'], dialect: Dialect, payload: JsonObject): Partial<AgentEvent> {
  if (kind === 'prompt') {
    const { prompt } = payload;
    return typeof prompt === 'string' ? { text: prompt } : {};
  }
  if (kind !== 'tool') return {};
  const tool = dialect.tool(payload);
  const call = dialect.call?.(payload);
  return {
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof call === 'string' && call !== '' ? { call } : {}),
    ...(typeof tool === 'string' && dialect.editors.includes(tool)
      ? { files: filesOf(dialect.input(payload), dialect.fileFields) }
      : {}),
  };
}

function filesOf(input: unknown, fields: readonly string[]): readonly string[] {
  const given = typeof input === 'string' ? parseJson(input) : input;
  if (!isObject(given)) return [];
  const named = fields.map((field) => given[field]).filter((path) => typeof path === 'string');
  const patches = [given['command'], given['patchText'], given['input']];
  return [...named, ...patches.flatMap((patch) => (typeof patch === 'string' ? filesOfPatch(patch) : []))];
}

function filesOfPatch(patch: string): string[] {
  const lines = patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm);
  return [...lines].map(([, path = '']) => path);
}

export interface AgentEvent {
  /** The agent's name, as in `checkpointd hook <agent>`. */
  readonly agent: string;
  readonly conversation: string;
  /** The absolute path of the directory in which the agent works. */
  readonly directory: string;
  readonly kind: 'start' | 'prompt' | 'tool' | 'end';
  /** The start of the hook, in ms since 1970. */
  readonly atMs?: number;
  readonly text?: string;
  readonly tool?: string;
  /** The paths that an editing tool reported, absolute or relative to `directory`. */
  readonly files?: readonly string[];
  /** The agent's id for the tool call, if the agent sends one. Two events with the same id make one checkpoint. */
  readonly call?: string;
}

/**
 * An event to process, or the reason why there is no event (`nothing`). If `quiet` is true, the reason is
 * expected and not logged.
 */
type ReadEvent = AgentEvent | { readonly nothing: string; readonly quiet?: true };
