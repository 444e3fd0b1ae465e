// Reads refs from disk: all of some namespaces, by one git, whatever is packed.
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { runGit } from '../process/run.ts';
import { refuseUnreadable, unreadablePackedRefs } from './readable-refs.ts';
import type { RefStoreOptions } from './ref-store-options.ts';
import type { RefChange } from './ref-transaction.ts';

/** Which refs, and where they lie. */
export type RefPlace = Pick<RefStoreOptions, 'place' | 'prefixes' | 'refsIn'>;

export interface ListedRefs {
  /** Objects by the names of refs. */
  readonly refs: Map<string, string>;
  /** Refs that cannot be read. */
  readonly broken: string[];
}

/** @throws UnreadableRefs where nobody can tell what is there */
export async function listRefs({ place, prefixes, refsIn = place.gitDir }: RefPlace): Promise<ListedRefs> {
  refuseUnreadable(refsIn, prefixes);
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes];
  const { stdout, stderr } = await runGit({ place, args }).catch((error: unknown) => {
    throw unreadablePackedRefs(refsIn, error);
  });
  const refs = new Map<string, string>();
  for (const line of stdout.toString('latin1').split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) refs.set(line.slice(space + 1), line.slice(0, space));
  }
  const broken = [...stderr.matchAll(/ignoring (?:broken|dangling symbolic|dangling symref) ref (\S+)/g)]
    .flatMap((match) => match[1] ?? [])
    .filter((ref) => prefixes.some((prefix) => ref.startsWith(prefix)));
  return { refs, broken };
}

/** Whether the refs are known to stand where these changes would bring them. */
export async function areAt(where: RefPlace, changes: readonly RefChange[]): Promise<boolean> {
  try {
    const { refs } = await listRefs(where);
    return changes.every(({ ref, to }) => refs.get(ref) === to);
  } catch (error) {
    if (!(error instanceof CheckpointdError) && systemCode(error) === undefined) throw error;
    return false; // nobody can tell
  }
}
