// Parses and makes tags, such as `0`, `4` and `4.2`. Only this module makes values of the type Tag, so git gets only
// texts that were checked here. Only the index knows which tags exist.
import { CheckpointdError } from '../base/errors.ts';
import type { Tag } from '../base/ids.ts';

const pattern = /^(0|[1-9]\d{0,8})(?:\.([1-9]\d{0,8}))?$/;

interface TagParts {
  readonly turn: number;
  /** The number of the tool within its turn. Absent in the tag of a turn. */
  readonly tool?: number;
}

export const baseTag = '0' as Tag;

export function tagOf(text: string): Tag | undefined {
  return text.length <= 32 && pattern.test(text) ? (text as Tag) : undefined;
}

/** Parses a text as a tag. @throws InvalidTag; the message shows the form of a tag */
export function parseTag(text: string): Tag {
  const tag = tagOf(text);
  if (tag !== undefined) return tag;
  throw new CheckpointdError(
    'InvalidTag',
    'A tag is a turn ("3") or a tool of a turn ("3.2"), without leading zeros. Use checkpoint/list to see the tags.',
    { details: { tag: text.slice(0, 64) } },
  );
}

export function tagParts(tag: Tag): TagParts {
  const [turn = '0', tool] = tag.split('.');
  return tool === undefined ? { turn: Number(turn) } : { turn: Number(turn), tool: Number(tool) };
}

export function turnTag(turn: number): Tag {
  return counted(String(turn));
}

export function toolTag(turn: number, tool: number): Tag {
  return counted(`${turn}.${tool}`);
}

/**
 * Returns the tag for these counters. A client can set the counters to large numbers with an explicit tag, so the next
 * number may be too long.
 */
function counted(text: string): Tag {
  const tag = tagOf(text);
  if (tag !== undefined) return tag;
  throw new CheckpointdError(
    'InvalidTag',
    `The next tag would be "${text}", but a number in a tag has at most nine digits. Give a smaller "tag"; counting continues from there.`,
    { details: { tag: text } },
  );
}

/** Returns the preceding tag: 1.1 → 1, 1.2 → 1.1, 2 → 1, 0 → 0. */
export function previousTag(tag: Tag): Tag {
  const { turn, tool } = tagParts(tag);
  if (tool === undefined) return turnTag(Math.max(0, turn - 1));
  return tool === 1 ? turnTag(turn) : toolTag(turn, tool - 1);
}

// The names of checkpoints. A client may use a name instead of a tag or an id. A name never has the form of a tag or an
// id.

const charactersMax = 256;

const plain = /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u;

/**
 * True when the text has the form of a name. For an unknown text of this form, the error is UnknownCheckpoint, not
 * InvalidTag.
 */
export function isPlainName(text: string): boolean {
  return plain.test(text) && text.trimEnd() === text;
}

function isName(text: string): boolean {
  return new RegExp(`^\\P{Cc}{1,${charactersMax}}$`, 'u').test(text);
}

/**
 * Parses a text as a new name. @throws InvalidName when the text is malformed or could be mistaken for a tag, an id or
 * a commit
 */
export function parseName(text: string): string {
  const isTaken = tagOf(text) !== undefined || text.startsWith('ckpt_') || /^[0-9a-f]{7,64}$/i.test(text);
  if (isName(text) && !isTaken) return text;
  throw new CheckpointdError(
    'InvalidName',
    `A name has 1 to ${charactersMax} characters and no control characters. It must not look like a tag ("3.2"), a checkpoint id or a commit id (7 to 64 hexadecimal digits). Choose another name.`,
    { details: { name: text.slice(0, 64) } },
  );
}
