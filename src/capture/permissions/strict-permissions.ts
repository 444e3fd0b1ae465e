// Which permission bits of a file or directory a snapshot records. Pure.
import { ownerBits } from '../../base/access-lists.ts';
import type { WalkedEntry } from '../listing.ts';

/** Of what may have an access list its owner's bits alone: the others are a mask, and no right of anybody's. */
export function permissionsOf(
  { isListed }: Pick<WalkedEntry, 'isListed'>,
  mode: number,
  usual: number,
): number | undefined {
  const permissions = strictPermissions(mode, usual);
  return permissions !== undefined && isListed === true ? permissions & ownerBits : permissions;
}

/**
 * The permission bits, when any that the usual mode has is missing (0600, 0444, 0700): a restore must not widen them.
 * On Windows modes are made up by the system and say nothing.
 */
export function strictPermissions(mode: number, usual: number): number | undefined {
  if (process.platform === 'win32') return undefined;
  return (mode & usual) === usual ? undefined : mode & 0o7777;
}
