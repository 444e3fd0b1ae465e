// Defines, for each agent, where the agent's settings for hooks are and which settings checkpointd writes.
// ../hooks/agent-hooks.md documents the agents and their versions.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../../base/json.ts';
import { jsonSettings } from './json-settings.ts';
import { isOurExtension, isOurPlugin, opencodePlugin, piExtension } from './plugins.ts';
import { type Change, isOurs, type Settings } from './settings.ts';
import { hasHooks, tomlSettings } from './toml-settings.ts';

export interface AgentSettings {
  readonly name: string;
  /** The agent's own directory. If the directory exists, the user is assumed to use the agent. */
  readonly directory: string;
  /**
   * Returns the settings that run our hook. `words` is the command line of the hook, word by word. `command` is the
   * same command line as one text for a shell.
   */
  readonly settings: (words: readonly string[], command: string) => Settings;
}

/**
 * The time limit in seconds that the agent sets for a hook. Our hook gives up after one second. The agent's limit is
 * much longer, because a machine may be busy.
 */
const timeout = 10;

/**
 * Returns the agent's directory: the value of the environment variable, or, if it is not set, a directory below the
 * home directory.
 */
type Place = readonly [variable: string | undefined, home: string, below?: string];

interface Agent {
  readonly name: string;
  readonly place: Place;
  readonly settings: (directory: string, words: readonly string[], command: string) => Settings;
}

const agents: readonly Agent[] = [
  {
    name: 'claude-code',
    place: ['CLAUDE_CONFIG_DIR', '.claude'],
    settings: (directory, _, command) =>
      jsonSettings({
        agent: 'claude-code',
        file: join(directory, 'settings.json'),
        comments: false,
        base: {},
        entries: groups(
          ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'],
          { type: 'command', command, timeout },
        ),
      }),
  },
  {
    name: 'gemini',
    place: ['GEMINI_CLI_HOME', '', '.gemini'],
    settings: (directory, _, command) =>
      jsonSettings({
        agent: 'gemini',
        file: join(directory, 'settings.json'),
        comments: true,
        base: {},
        entries: groups(['SessionStart', 'BeforeAgent', 'AfterTool', 'SessionEnd'], {
          type: 'command',
          name: 'checkpointd',
          command,
          timeout: timeout * 1000,
        }),
      }),
  },
  { name: 'codex', place: ['CODEX_HOME', '.codex'], settings: codexSettings },
  {
    name: 'cursor',
    place: [undefined, '.cursor'],
    settings: (directory, _, command) =>
      jsonSettings({
        agent: 'cursor',
        file: join(directory, 'hooks.json'),
        comments: false,
        base: { version: 1 },
        entries: forEach(
          ['sessionStart', 'beforeSubmitPrompt', 'postToolUse', 'postToolUseFailure', 'sessionEnd'],
          () => ({ command, timeout }),
        ),
      }),
  },
  {
    name: 'opencode',
    place: ['XDG_CONFIG_HOME', '.config', 'opencode'],
    settings: (directory, words) =>
      ownFile(join(directory, 'plugins', 'checkpointd.js'), opencodePlugin(words), isOurPlugin),
  },
  {
    name: 'copilot',
    place: ['COPILOT_HOME', '.copilot'],
    settings: (directory, _, command) => {
      const hooks = forEach(
        ['sessionStart', 'userPromptSubmitted', 'postToolUse', 'postToolUseFailure', 'sessionEnd'],
        (event) => [{ type: 'command', command: `${command} ${event}`, timeoutSec: timeout }],
      );
      const content = `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
      const file = join(directory, 'hooks', 'checkpointd.json');
      return { ...ownFile(file, content, isOurHooksFile), events: Object.keys(hooks) };
    },
  },
  {
    name: 'pi',
    place: ['PI_CODING_AGENT_DIR', join('.pi', 'agent')],
    settings: (directory, words) =>
      ownFile(join(directory, 'extensions', 'checkpointd.ts'), piExtension(words), isOurExtension),
  },
];

export function knownAgents(environment: NodeJS.ProcessEnv = process.env): readonly AgentSettings[] {
  return agents.map(({ name, place: [variable, home, below = ''], settings }) => {
    const given = variable === undefined ? '' : (environment[variable] ?? '');
    const directory = join(given === '' ? join(homedir(), home) : given, below);
    return { name, directory, settings: (words, command) => settings(directory, words, command) };
  });
}

function codexSettings(directory: string, _: readonly string[], command: string): Settings {
  const events = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'SessionEnd'];
  const hint = 'Codex asks you to review new hooks: type /hooks in its terminal.';
  const config = join(directory, 'config.toml');
  const json = join(directory, 'hooks.json');
  // Codex prints a warning at each start when both of its settings files have hooks. Our hooks are therefore added to
  // the file that already has hooks.
  const isInToml =
    !existsSync(json) && existsSync(config) && hasHooks(readFileSync(config, 'utf8')) !== false;
  if (isInToml) return tomlSettings({ file: config, events, command, timeoutSeconds: 3, hint });
  const entries = groups(events, { type: 'command', command, timeout: 3 });
  return jsonSettings({ agent: 'codex', file: json, comments: false, base: {}, entries, hint });
}

function forEach<T>(events: readonly string[], make: (event: string) => T): Record<string, T> {
  return Object.fromEntries(events.map((event) => [event, make(event)]));
}

/**
 * Returns a group of hooks for each event, in the form that Claude Code introduced. A group for tools has a matcher.
 */
function groups(events: readonly string[], handler: object): Record<string, Record<string, unknown>> {
  return forEach(events, (event) => ({
    ...(event.includes('Tool') ? { matcher: '*' } : {}),
    hooks: [handler],
  }));
}

function isOurHooksFile(text: string): boolean {
  const { hooks } = (parseJson(text) ?? {}) as { readonly hooks?: Readonly<Record<string, unknown>> };
  const lists = Object.values(hooks ?? {});
  return lists.length > 0 && lists.flat().every((handler) => isOurs('copilot', handler));
}

/**
 * Returns a settings file that contains only our hooks, for an agent that reads all settings files of a directory.
 * `isOurs` returns true for a text that any version of checkpointd wrote.
 */
function ownFile(file: string, content: string, isOurs: (text: string) => boolean): Settings {
  return {
    file,
    add: (text): Change =>
      text === undefined || isOurs(text) ? { text: content } : { left: 'another program made this file' },
    remove: (text): Change =>
      isOurs(text) ? { text: undefined } : { left: 'another program made this file' },
  };
}
