// Reads and writes loose objects in a directory of the daemon. Writes objects in the same form as git, and detects
// objects that do not match their name. Git does not write an object that seems to exist. So a damaged object has to be
// removed before the same content can be stored again.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { constants, deflateSync, inflateSync } from 'node:zlib';
import { syncDirectory } from '../../base/atomic-file.ts';
import { attempt, isOfSystem } from '../../base/attempt.ts';
import { systemCode } from '../../base/errors.ts';
import { files, filesAsync } from '../../base/files.ts';

/** The maximum size of a file that this module reads. Reading larger objects would block the event loop. */
const readBytesMax = 1 << 20;
const inflatedBytesMax = 16 << 20;

/**
 * Returns the state of the object's file. With `isThorough`, reads the file. Without `isThorough`, every file that is
 * not empty counts as whole. A file that is too large to read is `unread`.
 */
export function stateOfLoose(
  file: string,
  id: string,
  isThorough: boolean,
): 'absent' | 'whole' | 'damaged' | 'unread' {
  try {
    const size = files.statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) return 'absent';
    if (size === 0) return 'damaged';
    if (!isThorough) return 'whole';
    if (size > readBytesMax) return 'unread';
    const bytes = inflateSync(files.readFileSync(file), { maxOutputLength: inflatedBytesMax });
    return createHash('sha1').update(bytes).digest('hex') === id ? 'whole' : 'damaged';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'unread';
    if (code?.startsWith('Z_')) return 'damaged';
    throw error;
  }
}

/** True when the file of the loose object exists and is not empty. */
export function isLoose(objects: string, id: string): boolean {
  return stateOfLoose(join(objects, id.slice(0, 2), id.slice(2)), id, false) === 'whole';
}

/**
 * Reads a loose object and checks its hash. Returns undefined when the object is missing or does not match
 * its name.
 */
export function readLoose(objects: string, type: ObjectType, id: string): Buffer | undefined {
  // If the reading fails, the object is packed or damaged. The caller then asks git, which explains the damage.
  return attempt(isOfSystem, () => {
    const file = join(objects, id.slice(0, 2), id.slice(2));
    const whole = inflateSync(files.readFileSync(file), { maxOutputLength: inflatedBytesMax });
    if (createHash('sha1').update(whole).digest('hex') !== id) return undefined;
    const end = whole.indexOf(0);
    return whole.toString('latin1', 0, end).startsWith(`${type} `) ? whole.subarray(end + 1) : undefined;
  });
}

/** The header of an object is shorter than this number, even in compressed form. */
const headerBytesMax = 64;

/**
 * Returns the size from the header of a loose object. Reads only the header, so the content may be damaged. Returns
 * undefined when the object is missing or has no header.
 */
export function looseSize(objects: string, id: string): number | undefined {
  return attempt(isOfSystem, () => {
    const fd = files.openSync(join(objects, id.slice(0, 2), id.slice(2)), 'r');
    try {
      const start = Buffer.alloc(headerBytesMax);
      const length = files.readSync(fd, start, 0, headerBytesMax, 0);
      const inflated = inflateSync(start.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH });
      const size = /^(?:blob|tree|commit) (\d+)\0/.exec(inflated.toString('latin1'))?.[1];
      return size === undefined ? undefined : Number(size);
    } finally {
      files.closeSync(fd);
    }
  });
}

/**
 * Returns a function. The function returns false for an id without a loose object. Lists the directories of the loose
 * objects once. For very many ids, one listing is cheaper than checking a file for each id.
 */
export function possiblyLoose(objects: string): (id: string) => boolean {
  const directories = new Set(files.readdirSync(objects));
  return (id) => directories.has(id.slice(0, 2));
}

/** If the file of a loose object in a directory of the daemon is empty, removes this file. */
export function removeEmptyLoose(objects: string, id: string): void {
  const file = join(objects, id.slice(0, 2), id.slice(2));
  if (stateOfLoose(file, id, false) === 'damaged') files.rmSync(file, { force: true });
}

interface LooseObject {
  readonly type: ObjectType;
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Stores an object in an object directory of the daemon. For `isDurable`, see {@link placeLoose}. */
export function writeLoose(objects: string, object: LooseObject, isDurable: boolean): Promise<void> {
  return placeLoose(objects, object.id, isDurable, (fd) => {
    const header = Buffer.from(`${object.type} ${object.bytes.length}\0`, 'latin1');
    files.writeFileSync(fd, deflateSync(Buffer.concat([header, object.bytes]), { level: 1 }));
  });
}

/**
 * Stores an object in an object directory of the daemon. `write` writes the whole object under a temporary name, and
 * then this function renames it. The temporary name has git's own form, and every opening removes files with such
 * names. If the object exists, gives its file a new time, so that no prune removes it. `isDurable`: the object survives
 * a power cut.
 * @throws what `write` throws, system errors. After an error, the object does not exist under its name
 */
export async function placeLoose(
  objects: string,
  id: string,
  isDurable: boolean,
  write: (fd: number, temporary: string) => Promise<void> | void,
): Promise<void> {
  const directory = join(objects, id.slice(0, 2));
  const file = join(directory, id.slice(2));
  if (isThereAndYoung(file, id)) return;
  const temporary = join(directory, `tmp_obj_${randomBytes(6).toString('hex')}`);
  const fd = openIn(directory, temporary);
  try {
    try {
      await write(fd, temporary);
      if (isDurable) await filesAsync.fsync(fd);
    } finally {
      files.closeSync(fd);
    }
    files.renameSync(temporary, file);
  } catch (error) {
    files.rmSync(temporary, { force: true });
    throw error;
  }
  if (isDurable) syncDirectory(directory);
}

/** Gives an existing object a new time, so that no prune removes it. Returns false when the object does not exist. */
function isThereAndYoung(file: string, id: string): boolean {
  if (stateOfLoose(file, id, false) !== 'whole') return false;
  const now = Date.now() / 1000;
  files.lutimesSync(file, now, now);
  return true;
}

/** Creates a file in an object directory. The file is read-only, because no program writes to a finished object. */
function openIn(directory: string, file: string): number {
  try {
    return files.openSync(file, 'wx', 0o444);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return files.openSync(file, 'wx', 0o444);
  }
}

// Computes git's ids of contents in this process: the SHA-1 of a short header and the bytes. Every writer compares this
// id with the id that git computes.

export type ObjectType = 'blob' | 'tree' | 'commit';

/** An incremental hash of one object of known size. */
interface ObjectHash {
  update(bytes: Uint8Array): void;
  digest(): string;
}

export function objectHash(type: ObjectType, size: number): ObjectHash {
  const hash = createHash('sha1').update(`${type} ${size}\0`);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

export function objectId(type: ObjectType, bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
