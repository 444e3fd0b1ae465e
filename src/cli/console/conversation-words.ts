// Runs the commands /tangent, /compact, /context, /undo, /redo, /status and /usage.
import { CheckpointdRequestError } from '../../client/client.ts';
import { inCommands } from '../in-commands.ts';
import { checkpointLine, messageCount, sayRestore } from '../lines.ts';
import { saidMessages } from '../pages.ts';
import { plain } from '../terminal.ts';
import { type Desk, option, Usage, type Word } from './desk.ts';
import { switchedOff, texts } from './layouts.ts';

/** If at least this many messages are removed, the console explains how to restore them. */
const manyMessages = 6;

/**
 * Enters or leaves a tangent. With `tail`, keeps the tangent's last entry; with `compact`, keeps a summary of the
 * tangent. `forget` also works outside a tangent.
 */
export const tangentWord: Word = async (desk, [how, ...rest]) => {
  if (how === 'forget') return forget(desk, rest);
  const isTail = how === 'tail' && rest.length === 0;
  if (how !== undefined && !isTail && how !== 'compact')
    throw new Usage('/tangent [tail|compact <summary>|forget [N]]');
  const { active } = await desk.ask('conversation/tangent', {});
  if (!active && how !== undefined)
    return desk.say(how === 'tail' ? texts.noTangent : texts.noTangentToCompact);
  if (!active) {
    try {
      await desk.ask('conversation/enterTangent', {});
    } catch (error) {
      if (!(error instanceof CheckpointdRequestError) || error.kind !== 'TangentDisabled') throw error;
      return desk.say(switchedOff('tangent'));
    }
    desk.say(texts.enteredTangent);
    return desk.say(texts.experimental);
  }
  if (how === 'compact') return compactTangent(desk, rest.join(' '));
  const { tail } = await desk.ask('conversation/exitTangent', how === 'tail' ? { keepTail: true } : {});
  desk.say(tail === undefined ? texts.leftTangent : texts.leftWithTail);
};

/**
 * Adds the summary as the tangent's last entry, and then leaves the tangent and keeps this entry. The summary is not
 * lost if the console is interrupted between the two requests.
 */
async function compactTangent(desk: Desk, summary: string): Promise<void> {
  const { added } = await desk.ask('conversation/tangent', {});
  if (added === 0) {
    await desk.ask('conversation/exitTangent', {});
    return desk.say(texts.leftEmptyTangent);
  }
  if (summary === '') throw new Usage('/tangent compact <summary>');
  await desk.ask('conversation/append', {
    entry: { user: { content: '[Tangent conversation]' }, assistant: { content: summary } },
  });
  await desk.ask('conversation/exitTangent', { keepTail: true });
  desk.say(texts.leftWithSummary);
}

/** Removes the last messages. Without a count, the user picks the last message to keep. */
async function forget(desk: Desk, [given, ...rest]: readonly string[]): Promise<void> {
  if (rest.length > 0 || (given !== undefined && !/^\d{1,9}$/.test(given)))
    throw new Usage('/tangent forget [N]');
  const messages = given === undefined ? await pickedMessages(desk) : Number(given);
  if (messages === undefined) return;
  if (messages === 0) return desk.say(texts.cannotForgetNone);
  const { forgotten, warnings = [] } = await desk.ask('conversation/forget', { messages });
  desk.say(
    forgotten.messages === 0
      ? texts.nothingToForget
      : `Seems like you went on a tangent! Forgetting the last ${messageCount(forgotten.messages)}.`,
  );
  if (forgotten.messages >= manyMessages) desk.say(texts.manyForgotten);
  for (const warning of warnings) desk.say(`⚠️ ${plain(inCommands(warning, 'console'))}`);
}

/** Omits the newest message from the list, because picking the newest message would remove nothing. */
async function pickedMessages(desk: Desk): Promise<number | undefined> {
  const said = await saidMessages(desk.ask);
  if (said.length === 0) {
    desk.say(texts.nothingToForget);
    return undefined;
  }
  const older = said.slice(1, 9).map((text, at) => ({
    name: `${firstWords(text)} (forget ${messageCount(at + 1)} after this)`,
    value: at + 1,
  }));
  const all = { name: `Clear all messages (forget ${messageCount(said.length)})`, value: said.length };
  return desk.pick(texts.pickMessage, [...older, all]);
}

function firstWords(text: string): string {
  const words = text.split(' ');
  return words.length > 10 ? `${words.slice(0, 10).join(' ')}...` : text;
}

/** Compacts the history. The console runs no model, so the user writes the summary. */
export const compactWord: Word = async (desk, words) => {
  const { value, rest } = option(words, ['--keep']);
  const keep = value === undefined ? undefined : Number(value);
  const summary = rest.join(' ');
  const isWrong = keep !== undefined && !(Number.isInteger(keep) && keep >= 0);
  if (summary === '' || isWrong) throw new Usage('/compact [--keep N] <summary>');
  const { historyLength } = await desk.ask('conversation/compact', {
    summary,
    keep,
  });
  desk.say(
    `✓ Compacted the conversation; ${historyLength} ${historyLength === 1 ? 'entry is' : 'entries are'} left.`,
  );
};

export const contextWord: Word = async (desk, [what = 'show', ...paths]) => {
  if (what === 'add' || what === 'remove') {
    if (paths.length === 0) throw new Usage(`/context ${what} <path>...`);
    const method = what === 'add' ? 'conversation/addContext' : 'conversation/removeContext';
    const { changed, warnings = [] } = await desk.ask(method, { paths });
    for (const path of changed) desk.say(`${what === 'add' ? 'Added' : 'Removed'} ${plain(path)}`);
    for (const warning of warnings) desk.say(`⚠️ ${plain(warning)}`);
    if (changed.length === 0) desk.say('The context has not changed.');
    return;
  }
  if (what !== 'show') throw new Usage('/context show|add <path>...|remove <path>...');
  const { context: state } = await desk.ask('conversation/context', {});
  if (state.patterns.length === 0) desk.say('The context has no paths.');
  for (const pattern of state.patterns) desk.say(plain(pattern));
  desk.say(`${state.files.length} files, ${state.size} of ${state.maxSize} bytes`);
};

async function walk(desk: Desk, name: 'undo' | 'redo'): Promise<void> {
  sayRestore(await desk.ask(`checkpoint/${name}`, { confirm: true }));
}

export const undoWord: Word = (desk) => walk(desk, 'undo');
export const redoWord: Word = (desk) => walk(desk, 'redo');

export const statusWord: Word = async (desk) => {
  const { workspace, session, head, manager } = await desk.ask('session/get', {});
  const { historyLength } = await desk.ask('conversation/get', {});
  const { active } = await desk.ask('conversation/tangent', {});
  desk.say(`${session} of ${plain(workspace)}${active ? ' ↯' : ''}`);
  desk.say(`${manager.checkpoints} checkpoints, ${historyLength} entries`);
  if (head !== undefined) desk.say(`on ${checkpointLine(head)}`);
};

export const usageWord: Word = async (desk) => {
  const { bytes, blobs, checkpoints } = await desk.ask('store/usage', {});
  desk.say(`${checkpoints} checkpoints, ${blobs} contents, ${bytes} bytes`);
};
