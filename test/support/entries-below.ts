// Replaces `readdirSync(…, { recursive: true, withFileTypes: true })`, which follows symbolic links in newer versions
// of Node.
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Lists everything below a directory. Includes symbolic links without following them. */
export function entriesBelow(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesBelow(join(directory, entry.name))] : [entry],
  );
}
