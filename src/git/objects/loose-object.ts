// Loose objects of a directory of ours that are no longer what their name says. Git never writes an object that it
// believes to have, so a damaged one has to go before the same content can be stored again.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** A larger one is not read for this; `store/verify` tells of it. */
const readBytesMax = 64 << 20;

/** Whether the file is there and holds the object of this id. `isThorough`: else only an empty one counts as damaged. */
export function stateOfLoose(file: string, id: string, isThorough: boolean): 'absent' | 'whole' | 'damaged' {
  try {
    const { size } = files.statSync(file);
    if (size === 0) return 'damaged';
    if (!isThorough || size > readBytesMax) return 'whole';
    const bytes = inflateSync(files.readFileSync(file), { maxOutputLength: 4 * readBytesMax });
    return createHash('sha1').update(bytes).digest('hex') === id ? 'whole' : 'damaged';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    if (code?.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') return 'damaged';
    throw error;
  }
}

/** Removes the loose object of this id from an object directory of ours when it is damaged. */
export function removeDamagedLoose(objects: string, id: string, isThorough: boolean): void {
  const file = join(objects, id.slice(0, 2), id.slice(2));
  if (stateOfLoose(file, id, isThorough) === 'damaged') files.rmSync(file, { force: true });
}
