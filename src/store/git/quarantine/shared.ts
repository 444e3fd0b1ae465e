// A repository that several users write to (`core.sharedRepository`): what we put into it has the bits that git would
// give it, or the others can commit, collect and look up nothing any more. It changes nothing that is not ours.
import { files } from '../../../base/files.ts';

/** What git adds to the bits that the umask leaves, or the very bits where the setting names them. */
export interface Sharing {
  readonly bits: number;
  readonly isExact: boolean;
}

/** Reads the value as git does; undefined where the umask alone decides. */
export function sharingOf(value: string): Sharing | undefined {
  if (/^(group|true|yes|on|1|)$/.test(value)) return { bits: 0o660, isExact: false };
  if (/^(all|world|everybody|2)$/.test(value)) return { bits: 0o664, isExact: false };
  if (!/^0?[0-7]{3}$/.test(value)) return undefined;
  return { bits: Number.parseInt(value, 8) & 0o666, isExact: true };
}

/** The bits of a file or directory in such a repository. */
export function sharedMode(mode: number, { bits, isExact }: Sharing): number {
  let more = (mode & 0o200) === 0 ? bits & ~0o222 : bits;
  if ((mode & 0o100) !== 0) more |= (more & 0o444) >> 2;
  return isExact ? (mode & ~0o777) | more : mode | more;
}

export function shareFile(file: string, sharing: Sharing | undefined): void {
  if (sharing === undefined) return;
  const mode = files.lstatSync(file).mode & 0o7777;
  const wanted = sharedMode(mode, sharing);
  if (wanted !== mode) files.chmodSync(file, wanted);
}
