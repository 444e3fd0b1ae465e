// SQLite databases that a program wrote to while a capture read them. A capture reads one file after the other, so the
// database may be of another moment than the journal beside it. It goes by names and stamps and reads no file.
import { systemCode } from '../base/errors.ts';
import { isStampOf } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import { join, type TreePath } from '../tree/tree-path.ts';
import { inside, type ReachedPath, reachPath, type WorkTree } from '../work-tree/work-tree.ts';
import type { WalkedDirectory, WalkedEntry } from './listing.ts';
import { type FileClock, isSettled } from './settled.ts';

const journals = ['-wal', '-journal'];
/** Kernels stamp changes by a clock of 1 to 10 ms: a change so soon after another one may leave no trace. */
const tickMs = 20;

/**
 * Returns the captured databases of a directory that may be torn: the database, or a journal beside it, was written to
 * since the scan began. To be asked when everything was read.
 */
export function tornDatabases(directory: WalkedDirectory, tree: WorkTree, clock: FileClock): TreePath[] {
  const torn = new Set<string>();
  let reached: ReachedPath | undefined;
  try {
    for (const [name, journal] of directory.entries) {
      const suffix = journals.find((each) => name.endsWith(each));
      if (suffix === undefined || journal.kind !== 'file') continue;
      const base = name.slice(0, -suffix.length);
      const database = directory.entries.get(base);
      if (database?.kind !== 'file' || database.blob === undefined) continue;
      reached ??= reachPath(tree, directory.path);
      const isStill =
        isUntouched(reached, base, database, clock) && isUntouched(reached, name, journal, clock);
      if (!isStill) torn.add(base);
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return []; // the directory is gone
  } finally {
    reached?.release();
  }
  return [...torn].map((name) => join(directory.path, name));
}

function isUntouched(
  directory: ReachedPath,
  name: string,
  { stamp }: WalkedEntry,
  clock: FileClock,
): boolean {
  if (stamp === undefined) return false;
  const tells = clock.device === stamp.dev && clock.reachedMs > 0;
  if (tells && !isSettled(stamp, clock, tickMs)) return false;
  const now = files.lstatSync(inside(directory, name), { bigint: true, throwIfNoEntry: false });
  return now !== undefined && isStampOf(stamp, now);
}
