// What the kernel says is mounted where (Linux; elsewhere it says nothing), and the places in it. It mounts nothing,
// and knows no work tree.
import { Buffer } from 'node:buffer';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';

/** Every mount that this process sees, a line each; `unknown` where that is not told. */
export function readMounts(): string {
  try {
    return files.readFileSync('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 'unknown';
  }
}

/** The mounts below a directory: other file systems, which may come over a directory without a word. */
export function mountsBelow(mounts: string, directory: string): string {
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  return linesWhere(mounts, (place) => place.startsWith(prefix)).join('\n');
}

/** Which directory of which device is mounted at the directory itself, on top of others; undefined where none is. */
export function mountAt(mounts: string, directory: string): string | undefined {
  const [, , device, from] =
    linesWhere(mounts, (place) => place === directory)
      .at(-1)
      ?.split(' ') ?? [];
  return device === undefined ? undefined : `${device} ${from ?? ''}`;
}

function linesWhere(mounts: string, isMeant: (place: string) => boolean): string[] {
  return mounts.split('\n').filter((line) => isMeant(unescaped(line.split(' ')[4] ?? '')));
}

/** The kernel writes blanks and backslashes as three octal digits. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}
