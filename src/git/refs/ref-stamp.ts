// Tells cheaply whether somebody moved refs: one that is written, removed or packed changes the directory that it is in,
// a packed one the file of all. It reads stamps alone, never a ref.
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/**
 * Equal as long as nobody moved a ref in these directories, as far as the clock of the file system can tell. What cannot
 * be looked at has a stamp of its own.
 */
export function stampOfRefs(refsIn: string, directories: readonly string[]): string {
  return ['packed-refs', ...directories].map((each) => stampOf(join(refsIn, each))).join(' ');
}

function stampOf(path: string): string {
  try {
    const { ino, ctimeNs } = files.lstatSync(path, { bigint: true });
    return `${ino}.${ctimeNs}`;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}
