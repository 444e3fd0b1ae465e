// checkpointd enable and disable: add our hooks to the settings of agents, and remove them. The commands show the
// changes and ask the user before they write. The commands do not change a file that they cannot parse.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { counted } from '../../base/text/plural.ts';
import { programFile, storageAt } from '../../wire/places.ts';
import { exits } from '../command.ts';
import { agreed, confirmed } from '../confirm.ts';
import { daysGiven, setKeptDays } from '../hooks/old-sessions.ts';
import { nearest } from '../nearest.ts';
import { misused } from '../refusal.ts';
import { note, paint, plain, plainLines, say } from '../terminal.ts';
import { type AgentSettings, knownAgents } from './agents.ts';
import { type Change, inverse, type Settings } from './settings.ts';
import {
  EnabledNotes,
  missingDirectories,
  readOnlyMode,
  readSettings,
  removeSettings,
  writeSettings,
} from './settings-disk.ts';

export interface EnableOptions {
  /** The names of agents. A word may contain several names, separated by commas. */
  readonly agent?: readonly string[];
  readonly storage?: string;
  /** The value of --keep-days as a text, because "never" is a valid value too. */
  readonly keepDays?: string;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly patch?: true;
  readonly json?: true;
}

type State = 'changed' | 'unchanged' | 'wouldChange' | 'left';

interface Step {
  readonly agent: AgentSettings;
  readonly settings: Settings;
  readonly before: string | undefined;
  readonly change: Change;
}

interface Outcome {
  readonly agent: string;
  readonly file: string;
  readonly state: State;
  readonly reason?: string;
}

/** Adds hooks (`enable`) or removes hooks. Returns the exit code, which is 1 when a file could not be changed. */
export async function changeHooks(what: 'enable' | 'disable', options: EnableOptions): Promise<number> {
  const [isJson, isDry, isUnasked] = [options.json === true, options.dryRun === true, options.yes === true];
  const agents = chosen(
    what,
    (options.agent ?? []).flatMap((names) => names.split(',')),
  );
  const days = options.keepDays === undefined ? undefined : daysGiven(options.keepDays);
  if (options.keepDays !== undefined && days === undefined)
    throw misused('--keep-days takes a number of days, 1 or more, or "never"', 'Nothing was changed.');
  const storage = storageAt(options.storage);
  const notes = new EnabledNotes(storage);
  const steps = agents.map((agent) => stepOf(what, agent, options, notes));
  const changing = steps.filter(isChanging);
  if (!isJson) for (const step of changing) (options.patch === true ? showLines : showEvents)(step);
  const question = { text: 'Write this?', does: 'writes' };
  if (!isDry && !isUnasked && changing.length > 0 && !(await agreed({ json: isJson }, question)))
    return exits.failed;
  const readOnly = isDry ? new Map<Step, Change>() : await keptReadOnly(changing, isUnasked);
  const outcomes = steps.map((step) => {
    const change = readOnly.get(step) ?? step.change;
    return outcomeOf({ ...step, change }, what, !isDry, notes);
  });
  if (days !== undefined && !isDry) setKeptDays(storage, days);
  if (isJson) say(JSON.stringify({ agents: outcomes }, null, 2));
  else printOutcomes(outcomes, steps, what);
  if (days !== undefined && !isJson)
    say(
      days === 'never'
        ? 'The keeper never deletes conversations of agents.'
        : `The keeper deletes the conversation of an agent after ${days} ${days === 1 ? 'day' : 'days'} without use.`,
    );
  return outcomes.some(({ state }) => state === 'left') ? exits.failed : 0;
}

/** Asks the user about each read-only file. Returns the steps whose files stay unchanged, each with the reason. */
async function keptReadOnly(steps: readonly Step[], isUnasked: boolean): Promise<ReadonlyMap<Step, Change>> {
  const kept = new Map<Step, Change>();
  for (const step of steps) {
    const { file } = step.settings;
    const mode = readOnlyMode(file);
    if (mode === undefined) continue;
    const fact = `the file is read-only (mode ${mode})`;
    if (isUnasked)
      kept.set(step, {
        left: `${fact}. With --yes, the command does not replace read-only files. Run the command without --yes`,
      });
    else if (!(await confirmed(`${plain(file)} is read-only (mode ${mode}). Replace it?`)))
      kept.set(step, { left: fact });
  }
  return kept;
}

/** Returns the chosen agents. @throws CommandRefusal when an agent is unknown or no agent is found */
function chosen(what: string, names: readonly string[]): readonly AgentSettings[] {
  const known = knownAgents();
  const all = known.map(({ name }) => name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    const [meant] = nearest(unknown, all);
    const hint = meant === undefined ? '' : `Did you mean ${meant}? `;
    throw misused(
      `checkpointd does not know the agent ${plain(unknown)}`,
      `${hint}Known agents: ${all.join(', ')}`,
    );
  }
  if (names.length > 0) return known.filter(({ name }) => names.includes(name));
  const here = known.filter(({ directory }) => existsSync(directory));
  if (here.length > 0) return here;
  throw misused(
    `there is nothing to ${what}, because no supported agent was found on this machine`,
    `Name an agent with --agent: ${all.join(', ')}`,
  );
}

function stepOf(
  what: 'enable' | 'disable',
  agent: AgentSettings,
  options: EnableOptions,
  notes: EnabledNotes,
): Step {
  const words = hookWords(agent.name, options.storage);
  const settings = agent.settings(words, words.map(quoted).join(' '));
  try {
    const text = readSettings(settings.file);
    const known = text === undefined ? undefined : notes.before(settings.file, text);
    if (what === 'enable') {
      // Adds the hooks to the text that the file had before our first change. Even if the hooks are added several
      // times, "disable" restores this text exactly.
      const change = settings.add(known === undefined ? text : known.text);
      return { agent, settings, before: text, change };
    }
    if (text === undefined) return { agent, settings, before: text, change: { text } };
    return { agent, settings, before: text, change: known ?? settings.remove(text) };
  } catch (error) {
    return { agent, settings, before: undefined, change: { left: reasonOf(error) } };
  }
}

function isChanging({ before, change }: Step): boolean {
  return 'text' in change && change.text !== before;
}

function outcomeOf(step: Step, what: 'enable' | 'disable', isWritten: boolean, notes: EnabledNotes): Outcome {
  const { agent, settings, change } = step;
  const place = { agent: agent.name, file: settings.file };
  if ('left' in change) return { ...place, state: 'left', reason: change.left };
  if (!isChanging(step)) return { ...place, state: 'unchanged' };
  if (!isWritten) return { ...place, state: 'wouldChange' };
  try {
    if (what === 'enable') applyChange(step, change, notes);
    else revertChange(step, change.text, notes);
    return { ...place, state: 'changed' };
  } catch (error) {
    return { ...place, state: 'left', reason: reasonOf(error) };
  }
}

function applyChange(
  { settings: { file }, before }: Step,
  { text, edits }: Extract<Change, { readonly text: unknown }>,
  notes: EnabledNotes,
): void {
  if (text === undefined) return;
  const known = before === undefined ? undefined : notes.before(file, before);
  const base = known === undefined ? before : known.text;
  const madeDirectories = known?.madeDirectories ?? missingDirectories(file);
  writeSettings(file, before, text);
  if (base === undefined) notes.set(file, text, { created: true, back: [], madeDirectories });
  else if (edits !== undefined)
    notes.set(file, text, { created: false, back: inverse(base, edits), madeDirectories });
  else notes.forget(file);
}

function revertChange(
  { settings: { file }, before }: Step,
  text: string | undefined,
  notes: EnabledNotes,
): void {
  const known = before === undefined ? undefined : notes.before(file, before);
  if (text === undefined) removeSettings(file, known?.madeDirectories ?? []);
  else writeSettings(file, before, text);
  notes.forget(file);
}

function showFile({ settings: { file }, before, change }: Step): void {
  const isGone = 'text' in change && change.text === undefined;
  say(paint('bold', plain(file) + (before === undefined ? ' (new)' : isGone ? ' (will be deleted)' : '')));
}

/** Shows a summary of the changes to one file: the number of changed lines, the hook's command, and the events. */
function showEvents(step: Step): void {
  const { agent, settings, before, change } = step;
  if (!('text' in change)) return;
  showFile(step);
  const lines = lineChanges(before ?? '', change.text ?? '');
  const [more, fewer] = ['+', '-'].map((mark) => lines.filter((line) => line.startsWith(mark)).length);
  const command = lines.map((line) => hookIn(line, agent.name)).find((found) => found !== undefined);
  if (settings.events !== undefined) say(`  at    ${settings.events.join(', ')}`);
  if (command !== undefined) say(`  runs  ${plainLines(command)}`);
  say(`  adds ${counted(more ?? 0, 'line')} and removes ${fewer ?? 0} (--patch shows them)`);
}

/** Returns the hook's command if this line of a settings file contains it. Works for all formats of settings files. */
function hookIn(line: string, agent: string): string | undefined {
  return new RegExp(`"([^"]*\\bhook ${agent}\\b[^"]*)"`).exec(line)?.[1];
}

function showLines(step: Step): void {
  const { before, change } = step;
  if (!('text' in change)) return;
  showFile(step);
  for (const line of lineChanges(before ?? '', change.text ?? '')) {
    const shown = plainLines(line);
    say(line.startsWith('+') ? paint('green', shown) : line.startsWith('-') ? paint('red', shown) : shown);
  }
}

function printOutcomes(
  outcomes: readonly Outcome[],
  steps: readonly Step[],
  what: 'enable' | 'disable',
): void {
  for (const [i, { agent, file, state, reason }] of outcomes.entries()) {
    if (state === 'left') note(`${agent}: ${plain(file)} was not changed: ${plain(reason ?? '')}`);
    else if (state === 'unchanged') say(`${agent}: the settings need no change`);
    else if (state === 'wouldChange') say(`${agent}: this would change ${plain(file)}`);
    else say(`${agent}: ${what}d in ${plain(file)}`);
    const hint = what === 'enable' && state === 'changed' ? steps[i]?.settings.hint : undefined;
    if (hint !== undefined) say(hint);
  }
}

export interface Enabled {
  readonly agent: string;
  readonly file: string;
  readonly enabled: boolean;
  readonly reason?: string;
}

export function enabledAgents(): Enabled[] {
  return knownAgents()
    .filter(({ directory }) => existsSync(directory))
    .map((agent) => {
      const settings = agent.settings([], '');
      const { file } = settings;
      try {
        const text = readSettings(file);
        const change = text === undefined ? { text } : settings.remove(text);
        if ('left' in change) return { agent: agent.name, file, enabled: false, reason: change.left };
        return { agent: agent.name, file, enabled: change.text !== text };
      } catch (error) {
        return { agent: agent.name, file, enabled: false, reason: reasonOf(error) };
      }
    });
}

/**
 * Returns the command line of the hook. The command line begins with `checkpointd` if PATH leads to this program, and
 * otherwise with the program's full path.
 */
function hookWords(agent: string, storage: string | undefined): readonly string[] {
  const program = programFile();
  const start = isOnPath(program) ? ['checkpointd'] : [process.execPath, program];
  return [...start, 'hook', agent, ...(storage === undefined ? [] : [`--storage=${resolve(storage)}`])];
}

function isOnPath(program: string): boolean {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  const found = directories.map((each) => join(each, 'checkpointd')).find((each) => existsSync(each));
  return found !== undefined && realpathSync(found) === realpathSync(program);
}

/**
 * Quotes a word for a POSIX shell. A word without special characters stays unquoted, so that PowerShell accepts it too.
 */
function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  throw error;
}

// Shows the changes of a text line by line, before they are written.

/** Returns `+ added` and `- removed` lines, with a line of context around each change. */
function lineChanges(before: string, after: string): string[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  // `common[i][j]` is the length of the longest common subsequence of the lines from `i` on and the lines from `j` on.
  // Both texts are short, so this table needs little memory.
  const common = Array.from({ length: from.length + 1 }, () => Array<number>(to.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i -= 1)
    for (let j = to.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const all: string[] = [];
  for (let i = 0, j = 0; i < from.length || j < to.length; ) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      all.push(`  ${from[i]}`);
      i += 1;
      j += 1;
    } else if (j >= to.length || (i < from.length && at(i + 1, j) >= at(i, j + 1)))
      all.push(`- ${from[i++]}`);
    else all.push(`+ ${to[j++]}`);
  }
  const isChange = (line: string | undefined): boolean => line !== undefined && !line.startsWith('  ');
  return all.filter((line, i) => isChange(line) || isChange(all[i - 1]) || isChange(all[i + 1]));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
