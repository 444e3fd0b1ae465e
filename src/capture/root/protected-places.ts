// Places that nobody means when they say "work tree": checkpointing a home directory filled disks with hundreds of
// gigabytes elsewhere. It judges spelling and identity; the work tree itself is opened in capture/work-tree.ts.
import { homedir } from 'node:os';
import { join, parse } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { identityOf } from '../../base/file-stamp.ts';
import { files } from '../../base/files.ts';

/** Says which protected place a canonical path is, or undefined when it is none. */
export function protectedPlace(canonical: string, home: string = homedir()): string | undefined {
  if (parse(canonical).root === canonical) return 'the root of a drive';
  for (const [place, name] of placesOf(home)) {
    if (isSamePlace(canonical, place)) return name;
  }
  return undefined;
}

function placesOf(home: string): [path: string, name: string][] {
  if (home === '') return [];
  return [
    [home, 'the home directory'],
    ...['Desktop', 'Documents', 'Downloads'].map((name): [string, string] => [join(home, name), `~/${name}`]),
  ];
}

/** The same directory: by identity where both exist, so links, case and trailing slashes do not matter. */
function isSamePlace(canonical: string, place: string): boolean {
  const there = identityAt(place);
  if (there !== undefined) return there === identityAt(canonical);
  const fold = process.platform === 'darwin' || process.platform === 'win32';
  return fold ? canonical.toLowerCase() === place.toLowerCase() : canonical === place;
}

function identityAt(path: string): string | undefined {
  try {
    return identityOf(files.statSync(path, { bigint: true }));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined; // it does not exist, or nobody may look: then it is not the directory we opened
  }
}
