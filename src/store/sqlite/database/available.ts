// Whether the strategy `sqlite` can be had here, asked of the names of installed packages alone: loading libsql would
// cost every start what only few sessions need. A library that is there and broken is found out when it is loaded.
import { createRequire } from 'node:module';

/** What to do where libsql is missing. */
export const sqliteRemedy =
  'The strategy "sqlite" needs the package libsql, which could not be loaded here. Install it beside checkpointd (npm install libsql), or choose the strategy "shadow" or "local".';

/** libsql's binaries are packages of this name with one of these ends; which C library there is, libsql finds out. */
const platformPackage = `@libsql/${process.platform}-${process.arch}`;
const ends = ['', '-gnu', '-musl', '-msvc', '-gnueabihf', '-musleabihf'];

type Resolve = (name: string, from: string) => string;
const resolveInstalled: Resolve = (name, from) => createRequire(from).resolve(name);

/** Why `sqlite` cannot be used, with the remedy; undefined when its packages are installed. Some system calls. */
export function sqliteObstacle(resolve: Resolve = resolveInstalled): string | undefined {
  const library = find(resolve, 'libsql', import.meta.url);
  if (library === undefined) return sqliteRemedy;
  return ends.some((end) => find(resolve, `${platformPackage}${end}`, library) !== undefined)
    ? undefined
    : sqliteRemedy;
}

function find(resolve: Resolve, name: string, from: string): string | undefined {
  try {
    return resolve(name, from);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined; // not installed, or not for this platform
    throw error;
  }
}
