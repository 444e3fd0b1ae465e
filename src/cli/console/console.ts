// checkpointd console: controls a session interactively, with Q CLI's own commands. The console reads lines, runs the
// commands, and prints their results. Also reports the changes that other clients make in the session.
import { CheckpointdRequestError } from '../../client/client.ts';
import { type CliCommand, exits, type Task } from '../command.ts';
import { inCommands } from '../in-commands.ts';
import { nearest } from '../nearest.ts';
import { allCheckpoints } from '../pages.ts';
import { fit, note, plain, say } from '../terminal.ts';
import { checkpointWord, checkpointWords } from './checkpoint-words.ts';
import {
  compactWord,
  contextWord,
  redoWord,
  statusWord,
  tangentWord,
  undoWord,
  usageWord,
} from './conversation-words.ts';
import { type Desk, Usage, type Word } from './desk.ts';
import { helpLines } from './layouts.ts';
import { Prompt } from './prompt.ts';

const words: Readonly<Record<string, Word>> = {
  checkpoint: checkpointWord,
  tangent: tangentWord,
  compact: compactWord,
  context: contextWord,
  undo: undoWord,
  redo: redoWord,
  status: statusWord,
  usage: usageWord,
};
const ends = ['quit', 'exit', 'q'];

export const consoleCommand: CliCommand = {
  name: 'console',
  summary: 'use the session with the commands of Q CLI: /checkpoint, /tangent, /compact, /context',
  options: [
    [
      '--tangent-key <letter>',
      'Ctrl together with this letter does the same as /tangent; "none" turns the key off (default: t)',
    ],
  ],
  withoutJson: true,
  daemon: 'private',
  run: runConsole,
};

async function runConsole(task: Task): Promise<number> {
  const { ask } = task;
  const asked = task.options['tangentKey'];
  const wanted = typeof asked === 'string' ? asked.toLowerCase() : 't';
  if (wanted !== 'none' && !/^[a-z]$/.test(wanted)) {
    note('--tangent-key takes one letter or "none"');
    return exits.usage;
  }
  const tangentKey = wanted === 'none' ? undefined : wanted;
  const prompt = new Prompt((line) => completions(task, line), tangentKey);
  const desk: Desk = {
    ask,
    say,
    row: (line) => say(fit(line)),
    confirm: (question) => prompt.confirm(question),
    pick: (message, choices, preferred) => prompt.pick(message, choices, preferred),
  };
  const quiet = task.client.on('checkpoint/didCreate', ({ checkpoint: made, origin }) => {
    if (origin === undefined) return;
    const tag = made.tag ?? made.id;
    prompt.beside(
      fit(made.isTurn ? `✓ Created checkpoint ${tag}` : `${plain(made.toolName ?? 'tool')} [${tag}]`),
    );
  });
  for (;;) {
    const { active } = await ask('conversation/tangent', {});
    const line = await prompt.read(active ? '↯ > ' : '> ');
    if (line === undefined) break;
    const [first = '', ...rest] = line.trim().split(/\s+/);
    if (first === '') continue;
    if (ends.includes(first.replace(/^\//, ''))) break;
    if (first === '/help') for (const each of helpLines(tangentKey)) say(each);
    else await runWord(desk, first, rest);
  }
  quiet();
  prompt.close();
  return 0;
}

/**
 * Runs one console command. If the command fails, prints the failure, and the console continues.
 * @throws CheckpointdGoneError
 */
async function runWord(desk: Desk, first: string, rest: readonly string[]): Promise<void> {
  const name = first.slice(1);
  const word = first.startsWith('/') && Object.hasOwn(words, name) ? words[name] : undefined;
  if (word === undefined) return desk.say(adviceFor(first));
  try {
    await word(desk, rest);
  } catch (error) {
    if (error instanceof Usage) desk.say(`Usage: ${error.message}`);
    else if (error instanceof CheckpointdRequestError) note(inCommands(error.message, 'console'));
    else throw error;
  }
}

/**
 * Returns a hint for a line that is not a command. The console never runs a line without a slash, because the line may
 * be a sentence for a model.
 */
function adviceFor(first: string): string {
  const hasSlash = first.startsWith('/');
  const name = hasSlash ? first.slice(1) : first;
  const [meant] = Object.hasOwn(checkpointWords, name)
    ? [`checkpoint ${name}`]
    : nearest(name, [...Object.keys(words), 'help', ...ends]);
  if (meant !== undefined)
    return `${hasSlash ? `Unknown command: ${plain(first)}` : 'Commands begin with a slash'}. Did you mean /${meant}?`;
  return hasSlash
    ? `Unknown command: ${plain(first)}. /help lists the commands.`
    : 'Commands begin with a slash. The console has no model that answers other text. /help lists the commands.';
}

/** Returns completions for the end of a line: commands, then the subcommands of /checkpoint, then tags. */
async function completions({ ask }: Pick<Task, 'ask'>, line: string): Promise<[string[], string]> {
  const parts = line.split(/\s+/);
  const last = parts.at(-1) ?? '';
  const among = (all: readonly string[]): [string[], string] => {
    const [found, ...others] = all.filter((word) => word.startsWith(last));
    if (found === undefined) return [[], last];
    // Adds a space if this is the only completion.
    return [others.length === 0 ? [`${found} `] : [found, ...others], last];
  };
  if (parts.length === 1)
    return among([...Object.keys(words), 'help', ...ends.slice(0, 1)].map((word) => `/${word}`));
  const [first, second = ''] = parts;
  if (first === '/tangent') return among(['tail', 'compact', 'forget']);
  if (first === '/context' && parts.length === 2) return among(['show', 'add', 'remove']);
  if (first !== '/checkpoint') return [[], last];
  if (parts.length === 2) return among(Object.keys(checkpointWords));
  if (!['expand', 'diff', 'restore', 'revert'].includes(second)) return [[], last];
  const tags = (await allCheckpoints({ ask })).flatMap(({ tag, name }) => [tag, name]);
  return among([...tags.filter((each) => each !== undefined), ...(second === 'restore' ? ['--hard'] : [])]);
}
