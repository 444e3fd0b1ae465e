// Looks whether git can read all refs of some namespaces, before it is asked: it passes over a directory that it may not
// read as if nothing were in it, and waits without end for a FIFO. It opens no ref and changes nothing.
import { dirname, join } from 'node:path';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { constants, type Dirent, files } from '../../base/files.ts';

/** Nobody can tell what refs there are, so nothing is done with them. */
export class UnreadableRefs extends CheckpointdError {
  /** Sentences: what is wrong, and what puts it right. */
  readonly what: string;
  /** What to look at. */
  readonly path: string;

  constructor(what: string, path: string, cause?: unknown) {
    super('StoreUnavailable', `${what} Nothing was changed.`, { details: { path }, cause });
    this.what = what;
    this.path = path;
  }
}

/** @throws UnreadableRefs; system errors that say nothing of the refs */
export function refuseUnreadable(refsIn: string, prefixes: readonly string[]): void {
  const packed = join(refsIn, 'packed-refs');
  const stats = looking(packed, () => files.statSync(packed, { throwIfNoEntry: false }));
  if (stats !== undefined) {
    if (!stats.isFile()) throw notARef(packed);
    looking(packed, () => files.accessSync(packed, constants.R_OK));
  }
  for (const prefix of prefixes) refuseBelow(join(refsIn, prefix));
}

/** The failure of a git that could not take `packed-refs` apart; all else is what it is. */
export function unreadablePackedRefs(refsIn: string, error: unknown): unknown {
  if (!(error instanceof CheckpointdError) || error.kind !== 'GitFailed') return error;
  if (!/(?:unterminated|unexpected) line in .*packed-refs/.test(error.message)) return error;
  const path = join(refsIn, 'packed-refs');
  const what = `Git cannot read ${path}: a line of it is damaged, and with it every packed ref is out of reach, branches and tags among them. Put the file back from a copy, or take the damaged line out of it.`;
  return new UnreadableRefs(what, path, error);
}

function refuseBelow(directory: string): void {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) refuseBelow(path);
    else if (!entry.isFile() && !isLinkToNoProgram(entry, path)) throw notARef(path);
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    // With the first alone names are told, and nothing of what they are.
    files.accessSync(directory, constants.R_OK | constants.X_OK);
    return files.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(systemCode(error) ?? '')) return [];
    if (isDenied(error)) throw closed(deniedAt(directory), error);
    throw error;
  }
}

/** Git reads the target of a link, and follows it where that names no ref. */
function isLinkToNoProgram(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    const stats = files.statSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.isFile() || stats.isDirectory();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true; // git cannot follow it either, and says so
  }
}

function looking<T>(path: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (isDenied(error)) throw closed(deniedAt(path), error);
    throw error;
  }
}

/** Of what may not be read, the outermost. */
function deniedAt(path: string): string {
  const above = dirname(path);
  try {
    files.accessSync(above, constants.X_OK);
    return path;
  } catch (error) {
    return isDenied(error) ? deniedAt(above) : path;
  }
}

const isDenied = (error: unknown): boolean => /^(EACCES|EPERM)$/.test(systemCode(error) ?? '');

function closed(path: string, cause: unknown): UnreadableRefs {
  const what = `This user may not read ${path.replace(/\/$/, '')}, in which the refs of the checkpoints lie. Make it yours again (sudo chown -R "$USER"), with the rights to read, write and enter it (chmod u+rwX).`;
  return new UnreadableRefs(what, path, cause);
}

function notARef(path: string): UnreadableRefs {
  const what = `${path} stands among the refs of the checkpoints and is no file (a FIFO, a socket or a device), and git would wait for it without end. Remove it, and put back the file that it took the place of if there is a copy.`;
  return new UnreadableRefs(what, path);
}
