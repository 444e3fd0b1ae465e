// Newer versions of Node follow symbolic links in `readdirSync(…, { recursive: true, withFileTypes: true })`.
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Lists everything below a directory; a symbolic link is listed and never followed. */
export function entriesBelow(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesBelow(join(directory, entry.name))] : [entry],
  );
}
