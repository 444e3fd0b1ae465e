// A work tree inside a repository that gets one of its own: the refs of its session stay in the outer one, where nobody
// looks for them any more. It reads and says so; it moves nothing.
import { dirname, join } from 'node:path';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { holdsFile } from '../../git/repository/bare-repository.ts';
import { findRepository } from '../../git/repository/git-dir.ts';

/** The error for a session whose refs (below `prefix`) are in a repository around the one that the work tree is in now. */
export function heldFurtherOut(workTree: string, prefix: string, held: number): CheckpointdError | undefined {
  const nearest = findRepository(workTree);
  if (nearest === undefined || hasRefs(nearest.commonDir, prefix)) return undefined;
  for (let at = nearest.root; dirname(at) !== at; ) {
    const outer = findRepository(dirname(at));
    if (outer === undefined) return undefined;
    if (hasRefs(outer.commonDir, prefix)) return leftBehind(nearest.root, outer.root, held);
    at = outer.root;
  }
  return undefined;
}

function hasRefs(commonDir: string, prefix: string): boolean {
  try {
    if (holdsFile(join(commonDir, prefix))) return true;
    return readRegularFile(join(commonDir, 'packed-refs'))?.includes(` ${prefix}`) === true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function leftBehind(nearest: string, outer: string, held: number): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `${nearest} has got a repository of its own since the session was last open, and the ${held} checkpoint(s) of the session are in that of ${outer} still. Move ${join(nearest, '.git')} away and open the session again to go on with them; or use checkpoint/init to begin anew in the new one.`,
    { details: { path: nearest, holder: outer, checkpoints: held } },
  );
}
