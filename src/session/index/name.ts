// Names of checkpoints: what a client may call one, besides its tag and its id. A name never looks like either.
import { CheckpointdError } from '../../base/errors.ts';
import { tagOf } from './tag.ts';

const charactersMax = 256;

const plain = /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u;

/** Whether text reads as a name: where nothing bears it, it is an unknown checkpoint and no mistyped tag. */
export function isPlainName(text: string): boolean {
  return plain.test(text) && text.trimEnd() === text;
}

function isName(text: string): boolean {
  return new RegExp(`^\\P{Cc}{1,${charactersMax}}$`, 'u').test(text);
}

/** Takes text as a new name. @throws InvalidName when it is malformed or could be taken for a tag, an id or a commit. */
export function parseName(text: string): string {
  const isTaken = tagOf(text) !== undefined || text.startsWith('ckpt_') || /^[0-9a-f]{7,64}$/i.test(text);
  if (isName(text) && !isTaken) return text;
  throw new CheckpointdError(
    'InvalidName',
    `A name has 1 to ${charactersMax} characters, no control characters, and is nothing that could be a tag ("3.2"), a checkpoint id or a commit id (7 to 64 hexadecimal digits). Choose another name.`,
    { details: { name: text.slice(0, 64) } },
  );
}
