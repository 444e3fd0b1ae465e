// Which calls of the seam may change what the next process finds. A kill at any other call leaves the same disk as
// the kill at the next change, so a sweep of kills takes the changes only.
import { constants } from 'node:fs';

const looking = new Set([
  'access',
  'close',
  'exists',
  'fstat',
  'fsync', // only a power cut shows whether a file is synced
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
