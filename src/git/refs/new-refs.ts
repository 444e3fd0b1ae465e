// Makes new refs of a repository that is ours alone, each by one rename: git would lock, check and rename the same files,
// and the round trip to it takes longer than all else. It moves and removes no ref that is there.
import { join } from 'node:path';
import { files } from '../../base/files.ts';
import type { SpareFiles } from '../objects/spare-files.ts';
import type { RefChange } from './ref-transaction.ts';

/** Makes these refs, when none of them is there; answers those that are left to git, which checks them once more. */
export function leftOfNew(
  refsIn: string,
  changes: readonly RefChange[],
  known: ReadonlyMap<string, string>,
  spares: SpareFiles | undefined,
): readonly RefChange[] {
  const isNew = ({ ref, to }: RefChange): boolean => {
    const file = join(refsIn, ref);
    return (
      to !== undefined && !known.has(ref) && !files.existsSync(file) && !files.existsSync(`${file}.lock`)
    );
  };
  if (spares === undefined || !changes.every(isNew)) return changes;
  return changes.filter(({ ref, to }) => !spares.put(join(refsIn, ref), `${to}\n`));
}
