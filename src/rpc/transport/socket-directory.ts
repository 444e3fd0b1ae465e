// The directory in which daemons listen for further clients of the same user: made private, checked before it is
// used, rid of the sockets of dead daemons. It listens to nothing.
import { connect } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** What is wrong with the directory, in words for a log. */
export class UnusableSocketDirectory extends Error {}

const socketName = /^\d+-[0-9a-f]{8}\.sock$/;
/** A socket that refuses connections and is younger may be about to listen. */
const youngMs = 60_000;

/** `$XDG_RUNTIME_DIR/checkpointd`; where this user has no such directory, `run` under the storage. */
export function socketDirectory(storage: string, environment: NodeJS.ProcessEnv = process.env): string {
  const runtime = environment['XDG_RUNTIME_DIR'];
  const isGiven = runtime?.startsWith('/') === true && isOwnDirectory(runtime);
  return isGiven ? join(runtime, 'checkpointd') : join(storage, 'run');
}

/** `sudo` keeps the variable: what root made there would stand in the user's own way. */
function isOwnDirectory(path: string): boolean {
  const stat = files.statSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid());
}

/** Makes the directory, or checks the one that is there. @throws UnusableSocketDirectory */
export function prepareSocketDirectory(directory: string): void {
  try {
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new UnusableSocketDirectory(`${directory} cannot be made (${code})`);
  }
  const complaint = complaintAbout(directory);
  if (complaint !== undefined) throw new UnusableSocketDirectory(complaint);
}

/** Why nobody should listen or connect in this directory; undefined when it is this user's and private. */
function complaintAbout(directory: string): string | undefined {
  const stat = files.lstatSync(directory);
  if (stat.isSymbolicLink()) return `${directory} is a link`;
  if (!stat.isDirectory()) return `${directory} is no directory`;
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return `${directory} belongs to another user`;
  const mode = stat.mode & 0o777;
  if (mode === 0o700) return undefined;
  return `${directory} is open to others (mode ${mode.toString(8).padStart(4, '0')}; it must be 0700)`;
}

/** Removes the sockets on which nobody listens any more. */
export async function sweepSockets(directory: string): Promise<void> {
  for (const name of files.readdirSync(directory)) {
    const path = join(directory, name);
    if (socketName.test(name) && isOld(path) && !(await answers(path))) files.rmSync(path, { force: true });
  }
}

function isOld(path: string): boolean {
  const stat = files.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isSocket() === true && Date.now() - stat.mtimeMs > youngMs;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    // Anything but a refusal (a full queue, say) is no proof that nobody is there.
    socket.once('error', (error) => resolve(systemCode(error) !== 'ECONNREFUSED'));
  });
}
