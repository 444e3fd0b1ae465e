// Where each agent keeps its hooks, and what we write there. The facts, with versions, are in ../hooks/agent-hooks.md.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { jsonSettings } from './json-settings.ts';
import { isOurExtension, isOurPlugin, opencodePlugin, piExtension } from './plugins.ts';
import { type Change, isOurs, type Settings } from './settings.ts';
import { hasHooks, tomlSettings } from './toml-settings.ts';

export interface AgentSettings {
  /** As `checkpointd hook` takes it. */
  readonly name: string;
  readonly title: string;
  /** The agent's own directory; it is taken to be in use where that exists. */
  readonly directory: string;
  /** `words` start our hook for this agent; `command` is the same for a shell. */
  readonly settings: (words: readonly string[], command: string) => Settings;
}

/** Generous beside our own second: a machine may be busy. */
const timeoutSeconds = 10;

export function knownAgents(environment: NodeJS.ProcessEnv = process.env): readonly AgentSettings[] {
  const home = homedir();
  const place = (variable: string, ...rest: readonly string[]): string => {
    const given = environment[variable];
    return given === undefined || given === '' ? join(home, ...rest) : given;
  };
  const gemini = environment['GEMINI_CLI_HOME'];
  return [
    claudeCode(place('CLAUDE_CONFIG_DIR', '.claude')),
    geminiCli(join(gemini === undefined || gemini === '' ? home : gemini, '.gemini')),
    codex(place('CODEX_HOME', '.codex')),
    cursor(join(home, '.cursor')),
    opencode(join(place('XDG_CONFIG_HOME', '.config'), 'opencode')),
    copilot(place('COPILOT_HOME', '.copilot')),
    pi(place('PI_CODING_AGENT_DIR', '.pi', 'agent')),
  ];
}

/** Groups with a matcher, as Claude Code began it. */
function groups(
  events: Readonly<Record<string, 'tool' | 'other'>>,
  handler: Readonly<Record<string, unknown>>,
): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(events).map(([event, of]) => [
      event,
      { ...(of === 'tool' ? { matcher: '*' } : {}), hooks: [handler] },
    ]),
  );
}

function claudeCode(directory: string): AgentSettings {
  const events = {
    SessionStart: 'other',
    UserPromptSubmit: 'other',
    PostToolUse: 'tool',
    PostToolUseFailure: 'tool',
    SessionEnd: 'other',
  } as const;
  return inSettingsJson({
    name: 'claude-code',
    title: 'Claude Code',
    directory,
    comments: false,
    entries: (command) => groups(events, { type: 'command', command, timeout: timeoutSeconds }),
  });
}

function geminiCli(directory: string): AgentSettings {
  const events = {
    SessionStart: 'other',
    BeforeAgent: 'other',
    AfterTool: 'tool',
    SessionEnd: 'other',
  } as const;
  const timeout = timeoutSeconds * 1000;
  return inSettingsJson({
    name: 'gemini',
    title: 'Gemini CLI',
    directory,
    comments: true,
    entries: (command) => groups(events, { type: 'command', name: 'checkpointd', command, timeout }),
  });
}

/** Hooks that stand in one file of JSON among other things of the agent. */
function inSettingsJson({
  name,
  title,
  directory,
  file = 'settings.json',
  comments,
  base = {},
  entries,
}: Pick<AgentSettings, 'name' | 'title' | 'directory'> & {
  readonly file?: string;
  readonly comments: boolean;
  /** What a file that is not there yet begins with. */
  readonly base?: Readonly<Record<string, unknown>>;
  readonly entries: (command: string) => Record<string, Record<string, unknown>>;
}): AgentSettings {
  const place = join(directory, file);
  return {
    name,
    title,
    directory,
    settings: (_, command) =>
      jsonSettings({ agent: name, file: place, comments, base, entries: entries(command) }),
  };
}

function codex(directory: string): AgentSettings {
  const name = 'codex';
  const events = {
    SessionStart: 'other',
    UserPromptSubmit: 'other',
    PostToolUse: 'tool',
    SessionEnd: 'other',
  } as const;
  const hint = 'Codex asks you to review new hooks: type /hooks in its terminal.';
  const config = join(directory, 'config.toml');
  const json = join(directory, 'hooks.json');
  return {
    name,
    title: 'Codex CLI',
    directory,
    settings: (_, command) => {
      // Both forms in one directory load, with a warning at each start; so ours goes where hooks stand already.
      const isInToml =
        !existsSync(json) && existsSync(config) && hasHooks(readFileSync(config, 'utf8')) !== false;
      if (isInToml)
        return tomlSettings({ file: config, events: Object.keys(events), command, timeoutSeconds: 3, hint });
      const entries = groups(events, { type: 'command', command, timeout: 3 });
      return jsonSettings({ agent: name, file: json, comments: false, base: {}, entries, hint });
    },
  };
}

function cursor(directory: string): AgentSettings {
  const events = ['sessionStart', 'beforeSubmitPrompt', 'postToolUse', 'postToolUseFailure', 'sessionEnd'];
  return inSettingsJson({
    name: 'cursor',
    title: 'Cursor',
    directory,
    file: 'hooks.json',
    comments: false,
    base: { version: 1 },
    entries: (command) =>
      Object.fromEntries(events.map((event) => [event, { command, timeout: timeoutSeconds }])),
  });
}

function opencode(directory: string): AgentSettings {
  return {
    name: 'opencode',
    title: 'opencode',
    directory,
    settings: (words) =>
      ownFile(join(directory, 'plugins', 'checkpointd.js'), opencodePlugin(words), isOurPlugin),
  };
}

function pi(directory: string): AgentSettings {
  return {
    name: 'pi',
    title: 'pi',
    directory,
    settings: (words) =>
      ownFile(join(directory, 'extensions', 'checkpointd.ts'), piExtension(words), isOurExtension),
  };
}

function copilot(directory: string): AgentSettings {
  const name = 'copilot';
  const events = ['sessionStart', 'userPromptSubmitted', 'postToolUse', 'postToolUseFailure', 'sessionEnd'];
  const content = (command: string): string => {
    const hooks = events.map((event) => [
      event,
      [{ type: 'command', command: `${command} ${event}`, timeoutSec: timeoutSeconds }],
    ]);
    return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
  };
  return {
    name,
    title: 'GitHub Copilot CLI',
    directory,
    settings: (_, command) =>
      ownFile(join(directory, 'hooks', 'checkpointd.json'), content(command), isOurHooksFile),
  };
}

/** Whether a hooks file of Copilot CLI holds nothing but hooks of ours. */
function isOurHooksFile(text: string): boolean {
  try {
    const { hooks } = JSON.parse(text) as { readonly hooks?: Readonly<Record<string, unknown>> };
    const lists = Object.values(hooks ?? {});
    return lists.length > 0 && lists.flat().every((handler) => isOurs('copilot', handler));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

// A settings file that is ours alone, where an agent reads a directory of settings files.

/** `isOurs` tells whether a text was written by us, whatever version it was. */
export function ownFile(file: string, content: string, isOurs: (text: string) => boolean): Settings {
  return {
    file,
    add: (text): Change =>
      text === undefined || isOurs(text)
        ? { text: content }
        : { left: 'a file of that name is there, and not ours' },
    remove: (text): Change =>
      isOurs(text) ? { text: undefined } : { left: 'a file of that name is there, and not ours' },
  };
}
