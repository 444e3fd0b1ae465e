// Takes out of a `packed-refs` of ours the lines that git would refuse: one of them makes every git command fail, and so
// would lock all checkpoints away. What it takes out is kept beside. It knows no checkpoint.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

const heading = /^# pack-refs with:[ -~]*$/;
const line = /^(?:[0-9a-f]{40} refs\/[^\0-\x20\x7f~^:?*[\\]+|\^[0-9a-f]{40})$/;

/** Whether any line was taken out, so that refs may be missing. */
export function mendPackedRefs(gitDir: string): boolean {
  const file = join(gitDir, 'packed-refs');
  const text = textOf(file);
  if (text === undefined || text === '') return false;
  const lines = text.split('\n');
  const isCut = lines.pop() !== '';
  const good = lines.filter((each, index) => line.test(each) || (index === 0 && heading.test(each)));
  if (!isCut && good.length === lines.length) return false;
  // A copy and not a rename: a kill in between leaves the whole file where git looks for it.
  const kept = `${file}.damaged-${randomBytes(6).toString('hex')}`;
  writeAtomically(kept, Buffer.from(text, 'latin1'));
  writeAtomically(file, Buffer.from(good.map((each) => `${each}\n`).join(''), 'latin1'));
  return true;
}

function textOf(file: string): string | undefined {
  try {
    return files.readFileSync(file, 'latin1');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
