// Reads refs from disk: all of some namespaces, by one git, whatever is packed.
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';

export interface ListedRefs {
  /** Objects by the names of refs. */
  readonly refs: Map<string, string>;
  /** Refs that cannot be read. */
  readonly broken: string[];
}

export async function listRefs(place: GitPlace, prefixes: readonly string[]): Promise<ListedRefs> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes];
  const { stdout, stderr } = await runGit({ place, args });
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
