// checkpointd console: a session by hand, in Q CLI's own words. Reads lines, finds the word, and says what came of it;
// what other clients of the session do is said, too.
import { CheckpointdRequestError } from '../../client/client.ts';
import type { CliCommand, Task } from '../command.ts';
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
  help,
};
const ends = ['quit', 'exit', 'q'];

export const consoleCommand: CliCommand = {
  name: 'console',
  summary: "the session by hand, in Q CLI's words: /checkpoint, /tangent, /compact, /context",
  run: runConsole,
};

async function runConsole(task: Task): Promise<number> {
  const { ask } = task;
  const prompt = new Prompt((line) => completions(task, line));
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
    const name = first.replace(/^\//, '');
    if (name === '') continue;
    if (ends.includes(name)) break;
    await runWord(desk, name, rest);
  }
  quiet();
  prompt.close();
  return 0;
}

/** What fails is said, and the console goes on. @throws CheckpointdGoneError */
async function runWord(desk: Desk, name: string, rest: readonly string[]): Promise<void> {
  const word = Object.hasOwn(words, name) ? words[name] : undefined;
  if (word === undefined) {
    const [meant] = nearest(name, [...Object.keys(words), ...ends]);
    desk.say(
      `Unknown: /${plain(name)}${meant === undefined ? '. /help lists the words.' : `. Did you mean /${meant}?`}`,
    );
    return;
  }
  try {
    await word(desk, rest);
  } catch (error) {
    if (error instanceof Usage) desk.say(`Usage: ${error.message}`);
    else if (error instanceof CheckpointdRequestError) note(inCommands(error.message, 'console'));
    else throw error;
  }
}

function help({ say: tell }: Desk): Promise<void> {
  tell(`/checkpoint ${Object.keys(checkpointWords).join('|')}`);
  tell(`/${Object.keys(words).slice(1).join('  /')}  /quit`);
  return Promise.resolve();
}

/** What may stand at the end of a line: words, then the words of /checkpoint, then tags. */
async function completions({ ask }: Pick<Task, 'ask'>, line: string): Promise<[string[], string]> {
  const parts = line.split(/\s+/);
  const last = parts.at(-1) ?? '';
  const among = (all: readonly string[]): [string[], string] => [
    all.filter((word) => word.startsWith(last)),
    last,
  ];
  if (parts.length === 1)
    return among([...Object.keys(words), ...ends.slice(0, 1)].map((word) => `/${word}`));
  const [first, second = ''] = parts;
  if (first === '/tangent') return among(['tail', 'compact', 'forget']);
  if (first === '/context' && parts.length === 2) return among(['show', 'add', 'remove']);
  if (first !== '/checkpoint') return [[], last];
  if (parts.length === 2) return among(Object.keys(checkpointWords));
  if (!['expand', 'diff', 'restore'].includes(second)) return [[], last];
  const tags = (await allCheckpoints({ ask })).flatMap(({ tag, name }) => [tag, name]);
  return among([...tags.filter((each) => each !== undefined), ...(second === 'restore' ? ['--hard'] : [])]);
}
