// Runs the daemon of a world without the rights of root, as the user with uid 65534. This user owns every file that the
// daemon may touch.
import { spawnSync } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync } from 'node:fs';

/** The uid and gid that every Linux system reserves for a user without rights. */
const plainUid = 65534;

/** The beginning of a command line whose program runs without the rights of root. */
export const plainUserPrefix = [
  'setpriv',
  `--reuid=${plainUid}`,
  `--regid=${plainUid}`,
  '--clear-groups',
] as const;

/**
 * The beginning of such a command line in a container. In a container, a setting makes the kernel kill the program when
 * the program's parent dies. The setting is lost when the program gives up the rights of root, so the command line sets
 * it again.
 */
export const containedPlainUserPrefix = [...plainUserPrefix, '--pdeathsig=KILL'] as const;

/**
 * Returns the reason why the daemon cannot run as this user, or undefined when it can. `entry` is the program to run.
 */
export function plainUserRefusal(entry: string): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may become another user';
  const [program, ...words] = containedPlainUserPrefix;
  const result = spawnSync(
    program,
    [...words, process.execPath, '-e', `fs.accessSync(${JSON.stringify(entry)})`],
    {
      encoding: 'utf8',
    },
  );
  return result.status === 0 ? undefined : (result.error?.message ?? result.stderr.trim().slice(0, 200));
}

/**
 * Makes uid 65534 the owner of a directory and everything below. Does not change files that this user already owns, so
 * these files keep their times.
 */
export function giveToPlainUser(place: string | Buffer): void {
  const stats = lstatSync(place);
  if (stats.uid !== plainUid || stats.gid !== plainUid) lchownSync(place, plainUid, plainUid);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(place, { encoding: 'latin1' }))
    giveToPlainUser(Buffer.concat([Buffer.from(place), Buffer.from(`/${name}`, 'latin1')]));
}
