// A lock file in a place that others may lock too (packed-refs of the user's repository): removed only when it has
// stood unchanged for longer than anybody holds one. Locks in places of ours alone need no such patience.
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** Git itself gives up waiting for this lock after one second. */
const staleAfterMs = 3000;

/** Removes the lock file when its holder is dead as far as patience can tell. Resolves at once when there is none. */
export async function removeStaleLock(file: string): Promise<void> {
  const first = stamp(file);
  if (first === undefined) return;
  for (const deadline = performance.now() + staleAfterMs; performance.now() < deadline; ) {
    await sleep(50);
    if (stamp(file) !== first) return;
  }
  files.rmSync(file, { force: true });
}

function stamp(file: string): string | undefined {
  try {
    const { ino, mtimeNs, size } = files.lstatSync(file, { bigint: true });
    return `${ino}:${mtimeNs}:${size}`;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
