// Reads the contents of a git store for `store/verify`, and explains a store from which nothing can be read.
import { CheckpointdError } from '../../base/errors.ts';
import { Slices } from '../../base/slices.ts';
import { type ObjectReader, wholeBytesMax } from '../../git/objects/object-reader.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import { runGit } from '../../git/process/run.ts';
import type { StoredCheckpoint } from '../snapshot-store.ts';
import type { TreeSource } from '../tree-reader.ts';
import { type Damage, damageOf, type VerifiedSource } from '../verify-snapshots.ts';
import { gitTrees, partsOfSnapshot } from './checkpoints.ts';

export function verifiedGit(reader: ObjectReader, checkpoints: readonly StoredCheckpoint[]): VerifiedSource {
  const modes = new Set(checkpoints.map(({ record }) => partsOfSnapshot(record.snapshot).modes));
  const source = gitTrees(reader);
  return {
    ...source,
    damagedContents: (ids, signal) => damagedContents(ids, { modes, source, reader }, signal),
  };
}

interface Contents {
  /** The ids of those contents that are permission tables. */
  readonly modes: ReadonlySet<string | undefined>;
  readonly source: Required<TreeSource>;
  readonly reader: ObjectReader;
}

/** Reads a few contents at a time, to limit memory. */
async function damagedContents(
  ids: readonly string[],
  { modes, source, reader }: Contents,
  signal?: AbortSignal,
): Promise<Map<string, Damage>> {
  const bad = new Map<string, Damage>();
  const slices = new Slices(signal);
  const sizes = await reader.sizes(ids);
  const check = async (blob: string, size: number): Promise<void> => {
    try {
      if (modes.has(blob)) await source.modes(blob);
      else if (size <= wholeBytesMax) await reader.read('blob', blob);
      else for await (const _ of reader.stream('blob', blob, size)) signal?.throwIfAborted();
    } catch (error) {
      if (!(error instanceof CheckpointdError) || !error.kind.endsWith('Corrupt')) throw error;
      bad.set(blob, damageOf(error));
    }
  };
  for (let at = 0; at < ids.length; at += 16) {
    await Promise.all(ids.slice(at, at + 16).map((blob, index) => check(blob, sizes[at + index] ?? -1)));
    if (slices.isDue()) await slices.pause();
  }
  return bad;
}

/**
 * Returns the error for a store that has refs but no readable checkpoint. `commit` is one of the unreadable commits.
 */
export async function damagedWhole(
  place: GitPlace,
  commit: string,
  count: number,
): Promise<CheckpointdError> {
  // Git names the file of a damaged object, but names no file for a missing object.
  const args = ['cat-file', 'commit', commit];
  const { stderr } = await runGit({ place, args, accept: [0, 1, 128] });
  const [file] =
    /\/[^\n'"]*?\.(?:pack|idx)\b|\/[^\n'"]*?\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}/.exec(stderr) ?? [];
  const where = file === undefined ? `the commit ${commit} is missing or damaged` : `${file} is damaged`;
  return new CheckpointdError(
    'StoreCorrupt',
    `None of the ${count} checkpoints of this session can be read, although their refs exist: ${where}. Find the damage with git fsck, repair it from a backup or a clone, and open the session again. Or use checkpoint/init to move what is left of the store aside and to make a new store.`,
    { details: { path: file, commit, checkpoints: count, said: stderr.slice(0, 500) } },
  );
}
