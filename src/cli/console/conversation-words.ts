// /tangent, /compact, /context, and the words beside them: undo, redo, status, usage.
import { checkpointLine, sayRestore } from '../lines.ts';
import { plain } from '../terminal.ts';
import { type Desk, option, Usage, type Word } from './desk.ts';
import { texts } from './layouts.ts';

/** Enters a tangent, or leaves it; `tail` keeps its last entry, `compact` a summary of it. */
export const tangent: Word = async (desk, [how, ...rest]) => {
  const isTail = how === 'tail' && rest.length === 0;
  if (how !== undefined && !isTail && how !== 'compact') throw new Usage('/tangent [tail|compact <summary>]');
  const { active } = await desk.ask('conversation/tangent', {});
  if (!active && how !== undefined)
    return desk.say(how === 'tail' ? texts.noTangent : texts.noTangentToCompact);
  if (!active) {
    await desk.ask('conversation/enterTangent', {});
    return desk.say(texts.enteredTangent);
  }
  if (how === 'compact') return compactTangent(desk, rest.join(' '));
  await desk.ask('conversation/exitTangent', how === 'tail' ? { keepTail: true } : {});
  desk.say(how === 'tail' ? texts.leftWithTail : texts.leftTangent);
};

/** The summary is the tangent's last entry and leaves with it as its tail, so that no end in between loses it. */
async function compactTangent(desk: Desk, summary: string): Promise<void> {
  const { tangentState, historyLength } = await desk.ask('conversation/get', {});
  if (historyLength === tangentState?.mainHistoryLength) {
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

/** No model runs here, so the summary is the person's own. */
export const compact: Word = async (desk, words) => {
  const { value, rest } = option(words, ['--keep']);
  const keep = value === undefined ? undefined : Number(value);
  const summary = rest.join(' ');
  const isWrong = keep !== undefined && !(Number.isInteger(keep) && keep >= 0);
  if (summary === '' || isWrong) throw new Usage('/compact [--keep N] <summary>');
  const { historyLength } = await desk.ask('conversation/compact', {
    summary,
    ...(keep === undefined ? {} : { keep }),
  });
  desk.say(`✓ Compacted; ${historyLength} entries are left.`);
};

export const context: Word = async (desk, [what = 'show', ...paths]) => {
  if (what === 'add' || what === 'remove') {
    if (paths.length === 0) throw new Usage(`/context ${what} <path>...`);
    const method = what === 'add' ? 'conversation/addContext' : 'conversation/removeContext';
    const { changed, warnings = [] } = await desk.ask(method, { paths });
    for (const path of changed) desk.say(`${what === 'add' ? 'Added' : 'Removed'} ${plain(path)}`);
    for (const warning of warnings) desk.say(`⚠️ ${plain(warning)}`);
    if (changed.length === 0) desk.say('Nothing to change.');
    return;
  }
  if (what !== 'show') throw new Usage('/context show|add <path>...|remove <path>...');
  const { context: state } = await desk.ask('conversation/context', {});
  if (state.patterns.length === 0) desk.say('No paths in the context.');
  for (const pattern of state.patterns) desk.say(plain(pattern));
  desk.say(`${state.files.length} files, ${state.size} of ${state.maxSize} bytes`);
};

async function walk(desk: Desk, name: 'undo' | 'redo'): Promise<void> {
  sayRestore(await desk.ask(`checkpoint/${name}`, { confirm: true }));
}

export const undo: Word = (desk) => walk(desk, 'undo');
export const redo: Word = (desk) => walk(desk, 'redo');

export const status: Word = async (desk) => {
  const { workspace, session, head, manager } = await desk.ask('session/get', {});
  const { historyLength } = await desk.ask('conversation/get', {});
  const { active } = await desk.ask('conversation/tangent', {});
  desk.say(`${session} of ${plain(workspace)}${active ? ' ↯' : ''}`);
  desk.say(`${manager.checkpoints} checkpoints, ${historyLength} entries`);
  if (head !== undefined) desk.say(`on ${checkpointLine(head)}`);
};

export const usage: Word = async (desk) => {
  const { bytes, blobs, checkpoints } = await desk.ask('store/usage', {});
  desk.say(`${checkpoints} checkpoints, ${blobs} contents, ${bytes} bytes`);
};
