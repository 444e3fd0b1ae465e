// A world without root's rights: the daemon runs as nobody, and everything that it may touch belongs to nobody.
import { spawnSync } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync } from 'node:fs';

/** The user and the group `nobody` of every Linux. */
const nobody = 65534;

/** Words before a program that take root's rights from it. */
export const plainUserPrefix = [
  'setpriv',
  `--reuid=${nobody}`,
  `--regid=${nobody}`,
  '--clear-groups',
] as const;

/**
 * The prefix in a container. With the change of rights the kernel forgets to kill the program with its
 * parent, so the prefix says so again.
 */
export const containedPlainUserPrefix = [...plainUserPrefix, '--pdeathsig=KILL'] as const;

/** Why the daemon cannot run so here; undefined where it can. `entry`: the program that is to run. */
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

/** Gives a directory and all below to nobody. What is theirs already is not touched, and keeps its times. */
export function giveToPlainUser(place: string | Buffer): void {
  const stats = lstatSync(place);
  if (stats.uid !== nobody || stats.gid !== nobody) lchownSync(place, nobody, nobody);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(place, { encoding: 'latin1' }))
    giveToPlainUser(Buffer.concat([Buffer.from(place), Buffer.from(`/${name}`, 'latin1')]));
}
