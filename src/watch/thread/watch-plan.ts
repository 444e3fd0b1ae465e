// Which directories of a work tree are watched together. Told to watch a large tree at once, chokidar opens all its
// directories at the same time and takes 60 KB for each; part after part it takes a quarter of that. It lists names and
// watches nothing.
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** So many are watched at once: 528 MB for 10,000 directories; in parts of 200 it is 151 MB, and not slower. */
export const wholeMax = 1000;
const partMax = 200;

export interface WatchPlan {
  /** How many directories there are. */
  readonly size: number;
  /** Those whose subtrees are larger than a part: watched one by one, without what is below. Parents come first. */
  readonly upper: readonly string[];
  /** Each a number of subtrees that are watched together. */
  readonly parts: readonly (readonly string[])[];
}

/** Parts the directories below `root`. Absolute paths; what cannot be listed is left to whoever watches its parent. */
export function planWatch(root: string, isOutside: (path: string) => boolean): WatchPlan {
  const directories = [root];
  const parents = [-1];
  for (let at = 0; at < directories.length; at += 1) {
    for (const path of directoriesIn(directories[at] ?? root)) {
      if (isOutside(path)) continue;
      directories.push(path);
      parents.push(at);
    }
  }
  const sizes = directories.map(() => 1);
  for (let at = directories.length - 1; at > 0; at -= 1) {
    const parent = parents[at] ?? 0;
    sizes[parent] = (sizes[parent] ?? 0) + (sizes[at] ?? 0);
  }
  if (directories.length <= wholeMax) return { size: directories.length, upper: [], parts: [[root]] };
  const isUpper = (at: number): boolean => (sizes[at] ?? 0) > partMax;
  const parts: string[][] = [];
  let room = 0;
  for (const [at, path] of directories.entries()) {
    if (isUpper(at) || !isUpper(parents[at] ?? 0)) continue;
    if (room <= 0) {
      parts.push([]);
      room = partMax;
    }
    parts.at(-1)?.push(path);
    room -= sizes[at] ?? 0;
  }
  return { size: directories.length, upper: directories.filter((_, at) => isUpper(at)), parts };
}

/** The directories in a directory, links to them left aside; none when it is gone or closed to us. */
export function directoriesIn(path: string): string[] {
  try {
    return files
      .readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.includes('\uFFFD'))
      .map(({ name }) => join(path, name));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
