// The error for a file whose content the store has lost or cannot read.
import { CheckpointdError } from '../base/errors.ts';
import { type Entry } from '../tree/entry.ts';
import { toText } from '../tree/tree-path.ts';

export function lostContent({ path, blob }: Entry): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    `The content of "${toText(path)}" is missing from the checkpoint store, or damaged. Run store/verify to see which checkpoints are affected.`,
    { details: { path: toText(path), object: blob } },
  );
}
