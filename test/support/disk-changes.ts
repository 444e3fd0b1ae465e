// Selects those calls of src/base/seam.ts that may change the disk for the next process. A kill at any other
// call leaves the same disk as a kill at the next change. So tests kill only at changes.
import { constants } from 'node:fs';

const looking = new Set([
  'access',
  'close',
  'exists',
  'fstat',
  'fsync', // only a power cut makes a difference between synced and unsynced files
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

/** True when a call may change the disk or starts a process. `option` is the call's second argument. */
export function mayChangeDisk(call: string, option: unknown): boolean {
  if (call !== 'open') return !looking.has(call);
  return typeof option === 'number' ? (option & writing) !== 0 : option !== undefined && option !== 'r';
}
