// Names of checkpoints: what a client may call one, besides its tag and its id. A name never looks like either.
import { CheckpointdError } from '../../base/errors.ts';
import { tagOf } from './tag.ts';

const pattern = /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u;

/** Whether text could name a checkpoint. */
export function isName(text: string): boolean {
  return pattern.test(text) && text.trimEnd() === text;
}

/** Takes text as a new name. @throws InvalidTag when it is malformed or could be taken for a tag, an id or a commit. */
export function parseName(text: string): string {
  const isTaken = tagOf(text) !== undefined || text.startsWith('ckpt_') || /^[0-9a-f]{7,64}$/.test(text);
  if (isName(text) && !isTaken) return text;
  throw new CheckpointdError(
    'InvalidTag',
    'A name has 1 to 128 letters, digits, spaces, ".", "_" or "-", begins with a letter, digit or "_", and is no tag, checkpoint id or commit id.',
    { details: { name: text.slice(0, 64) } },
  );
}
