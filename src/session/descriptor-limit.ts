// The system's limit on open files. An open session uses a few file descriptors, and each running request uses some
// more. The daemon refuses to open a session if too few descriptors would be left for the requests of open sessions.
// This works on Linux only, because other systems do not report the numbers.
import { attempt, attemptOr, hasCode, isOfSystem } from '../base/attempt.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';

/**
 * The number of descriptors that the daemon keeps free for requests. A request reads several files at once and runs git
 * with pipes.
 */
const reservedDescriptors = 64;

/**
 * Refuses to open another session when too few descriptors are left.
 * @throws LimitExceeded, which names the limit
 */
export function refuseAtDescriptorLimit(): void {
  const limit = descriptorLimit();
  if (limit === undefined) return;
  const used = usedDescriptors(limit);
  if (limit - used >= reservedDescriptors) return;
  throw new CheckpointdError(
    'LimitExceeded',
    `The daemon uses ${used} of ${limit} file descriptors, and reserves the rest for its open sessions. The session was not opened. Close a session, or restart the daemon with a higher limit of open files (ulimit -n).`,
    { details: { limit: 'openFiles', max: limit, used } },
  );
}

/**
 * Returns the number of descriptors that this process may have, or undefined when the system does not report
 * the number.
 */
function descriptorLimit(): number | undefined {
  const text = attemptOr('', isOfSystem, () => files.readFileSync('/proc/self/limits', 'utf8'));
  const found = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function usedDescriptors(limit: number): number {
  const listed = attempt(hasCode('EMFILE', 'ENFILE'), () => files.readdirSync('/proc/self/fd'));
  return listed === undefined ? limit : listed.length - 1; // the listing itself uses one descriptor
}
