// The system's limit of open files. A session takes a few descriptors as long as it is open, and each request some
// more while it runs. An opening that would leave too few for the requests is refused before it changes anything, so
// that the open sessions go on. Linux only: other systems do not report the numbers.
import { attempt, attemptOr, hasCode, isOfSystem } from '../base/attempt.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';

/** The descriptors that stay free for requests: files that are read side by side, and git with its pipes. */
export const reservedDescriptors = 64;

/**
 * Refuses another session when too few descriptors are left.
 * @throws LimitExceeded, which names the limit
 */
export function refuseAtDescriptorLimit(): void {
  const limit = descriptorLimit();
  if (limit === undefined) return;
  const used = usedDescriptors(limit);
  if (limit - used >= reservedDescriptors) return;
  throw new CheckpointdError(
    'LimitExceeded',
    `The daemon has ${used} of ${limit} file descriptors in use, and its open sessions need the others. The session was not opened. Close a session, or restart the daemon with a higher limit of open files (ulimit -n).`,
    { details: { limit: 'openFiles', max: limit, used } },
  );
}

/** Returns the number of descriptors that this process may have. Undefined when the system does not report it. */
function descriptorLimit(): number | undefined {
  const text = attemptOr('', isOfSystem, () => files.readFileSync('/proc/self/limits', 'utf8'));
  const found = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function usedDescriptors(limit: number): number {
  const listed = attempt(hasCode('EMFILE', 'ENFILE'), () => files.readdirSync('/proc/self/fd'));
  return listed === undefined ? limit : listed.length - 1; // the listing has a descriptor of its own
}
