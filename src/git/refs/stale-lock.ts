// Locks that a killed git left. Those in places of ours alone go at once; that of `packed-refs`, which the user's git takes
// too, only when nothing has moved for longer than anybody holds it. Git writes `packed-refs.new` under that lock and
// refuses to begin where one stands, so one that a kill left would stop the user's own git for good.
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** Git itself gives up waiting for this lock after one second. */
const staleAfterMs = 3000;

/** Removes a lock that nobody but us takes. Where a file stands in the place of its directory there is none. */
export function removeLock(file: string): void {
  try {
    files.rmSync(file, { force: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOTDIR') throw error;
  }
}

/**
 * Removes the lock of `packed-refs` and what was being written under it, when the holder is dead as far as patience can
 * tell. Resolves at once when there is neither.
 */
export async function removeStalePackedRefs(gitDir: string): Promise<void> {
  // Where `packed-refs` is a link, git writes beside what it points to.
  const directory = dirname(realPath(join(gitDir, 'packed-refs')));
  const [lock, unfinished] = [join(directory, 'packed-refs.lock'), join(directory, 'packed-refs.new')];
  // The lock stays as it is while its holder writes the other one.
  const look = (): string => `${stamp(lock)} ${stamp(unfinished)}`;
  if (stamp(lock) !== undefined) {
    const first = look();
    for (const deadline = performance.now() + staleAfterMs; performance.now() < deadline; ) {
      await sleep(50);
      if (look() !== first) return;
    }
    files.rmSync(lock, { force: true });
  }
  if (stamp(unfinished) === undefined) return;
  // Who holds the lock owns the other file: while we hold it, nobody writes one.
  try {
    files.writeFileSync(lock, '', { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return;
  }
  try {
    files.rmSync(unfinished, { force: true });
  } finally {
    files.rmSync(lock, { force: true });
  }
}

function realPath(file: string): string {
  try {
    return files.realpathSync(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return file;
  }
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
