// The finished files of an object directory, and how they go from one to another. It reads none of them.
import { join } from 'node:path';
import { syncDirectory } from '../../../base/atomic-file.ts';
import { systemCode } from '../../../base/errors.ts';
import { files } from '../../../base/files.ts';

/** A file of an object directory: `ab/cdef…` or `pack/pack-….pack`. */
export interface ObjectFile {
  readonly directory: string;
  readonly name: string;
}

/** Finished object files, a pack's index last: whoever sees the index finds the pack. */
export function objectFiles(objects: string): ObjectFile[] {
  const found: ObjectFile[] = [];
  for (const directory of files.readdirSync(objects)) {
    const isPacks = directory === 'pack';
    if (!isPacks && !/^[0-9a-f]{2}$/.test(directory)) continue;
    const names = files.readdirSync(join(objects, directory));
    const form = isPacks ? /^pack-[0-9a-f]{40}\.(?:pack|rev|idx)$/ : /^[0-9a-f]{38}$/;
    names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
    for (const name of names) {
      // A pack without its index is still being written.
      const isWhole = !isPacks || names.includes(`${name.slice(0, name.lastIndexOf('.'))}.idx`);
      if (form.test(name) && isWhole) found.push({ directory, name });
    }
  }
  return found;
}

/** Moves everything from one directory to another on the same file system. */
export function moveObjects(from: string, to: string): void {
  for (const { directory, name } of objectFiles(from)) {
    files.mkdirSync(join(to, directory), { recursive: true, mode: 0o700 });
    files.renameSync(join(from, directory, name), join(to, directory, name));
  }
}

/** A copy has its name when it is whole and on the disk. */
export function copyOver(source: string, target: string, temporary: string): void {
  files.copyFileSync(source, temporary);
  syncDirectory(temporary);
  files.renameSync(temporary, target);
}

/** Two times 256 empty directories are 2 MiB on disk, which would count against the limits of a small store. */
export function removeEmptyDirectories(objects: string): void {
  for (const directory of files.readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    try {
      files.rmdirSync(join(objects, directory));
    } catch (error) {
      // Still in use. A git that writes into one at this moment makes it again.
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
    }
  }
}
