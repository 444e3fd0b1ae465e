// Finds out which files have an access control list. Node does not show these lists. In a file with an access list, the
// group bits are a mask, which limits the rights in the list. If a new file without a list got these bits, the whole
// group would have these rights. `ls -ld` marks files that have an access list, and one call of `ls` checks many files.
// A path that cannot be checked counts as a file with an access list. This module changes nothing.
import { spawn } from 'node:child_process';
import { systemCode } from './errors.ts';
import { passSeam } from './seam.ts';

const commandMsMax = 5_000;

export const ownerBits = 0o700;

/**
 * True when the mode gives the group more rights than other users. If false, it is safe to store the mask of an access
 * list as the group's rights: no user gets more rights.
 */
export function groupHasMoreRights(mode: number): boolean {
  return ((mode >> 3) & ~mode & 0o7) !== 0;
}

/**
 * Finds the files that may have an access list. Returns a function that is true for the inode numbers of these files.
 * The paths must be absolute. Does not follow symbolic links.
 */
export async function withAccessLists(paths: readonly Buffer[]): Promise<(inode: number) => boolean> {
  if (paths.length === 0 || process.platform === 'win32') return () => false;
  if (!(await marksAccessLists())) return () => true;
  const marks = new Map<number, boolean>();
  const listing = await output(
    'xargs',
    ['-0', 'ls', '-ldinq', '--'],
    Buffer.concat(paths.flatMap(terminated)),
  );
  for (const line of listing.split('\n')) {
    const [, inode, mark] = /^\s*(\d+) [-bcdlpsD][-rwxsStT]{9}(\S?) /.exec(line) ?? [];
    if (inode === undefined) continue;
    // Two files on different file systems may have the same inode number. If only one of these files has an access
    // list, this function still reports both files.
    const isMarked = mark === '+' || mark === '@';
    marks.set(Number(inode), isMarked || marks.get(Number(inode)) === true);
  }
  return (inode) => marks.get(inode) ?? true;
}

const nul = Buffer.from([0]);
const terminated = (path: Buffer): Buffer[] => [path, nul];

let known: Promise<boolean> | undefined;

/** Returns whether `ls` marks files that have an access list. On small systems, `ls` does not mark these files. */
function marksAccessLists(): Promise<boolean> {
  known ??=
    process.platform === 'linux'
      ? output('ls', ['--version']).then((text) => text.includes('coreutils'))
      : Promise.resolve(true);
  return known;
}

/**
 * Returns the output of a program, or '' when the program cannot run. Ignores the exit code, which shows only that some
 * path was missing.
 */
function output(program: string, args: readonly string[], input?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const end = (): void => resolve(Buffer.concat(chunks).toString('latin1'));
    const failed = (error: Error): void => (systemCode(error) === undefined ? reject(error) : end());
    try {
      passSeam('spawn', program);
      const child = spawn(program, args, {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
        cwd: '/',
        timeout: commandMsMax,
        killSignal: 'SIGKILL',
      });
      child.on('error', failed);
      if (child.pid === undefined) return; // if no file descriptor is free, the process has no pipes
      child.stdin.on('error', failed); // the process ended before it had read all of its input
      child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
      child.on('close', end);
      child.stdin.end(input);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failed(error);
    }
  });
}
