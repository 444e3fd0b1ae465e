// A removal of refs makes `packed-refs` anew, with the bits of our umask. It is the user's file, and others may read it.
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** Does `work`, after which `packed-refs` has the bits that it had before. */
export async function keepingPackedMode(gitDir: string, work: () => Promise<unknown>): Promise<void> {
  const file = join(gitDir, 'packed-refs');
  const before = modeOf(file);
  await work();
  const after = modeOf(file);
  if (before === undefined || after === undefined || before === after) return;
  try {
    files.chmodSync(file, before);
  } catch (error) {
    // Another user's by now, who has given it the bits it has; or gone. The refs are where they shall be.
    if (!/^(ENOENT|EPERM)$/.test(systemCode(error) ?? '')) throw error;
  }
}

function modeOf(file: string): number | undefined {
  const stats = files.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.mode & 0o7777;
}
