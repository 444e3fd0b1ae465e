// Selects those calls of src/base/seam.ts that may change what the next process finds on the disk. A kill at any other
// call leaves the same disk as a kill at the next selected call. Therefore tests kill only at selected calls.
import { constants } from 'node:fs';

const looking = new Set([
  'access',
  'close',
  'exists',
  'fstat',
  'fsync', // synced and unsynced files differ only after a power cut
  'lstat',
  'openPath',
  'opendir',
  'read',
  'readFile',
  'readdir',
  'readlink',
  'realpath',
  'stat',
  'statfs',
  'watch',
]);
const writing = constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC;

/** True if a call may change the disk or starts a process. `option` is the second argument of the call. */
export function mayChangeDisk(call: string, option: unknown): boolean {
  if (call !== 'open') return !looking.has(call);
  return typeof option === 'number' ? (option & writing) !== 0 : option !== undefined && option !== 'r';
}
