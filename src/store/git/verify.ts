// Reads everything that the checkpoints of a git store hold and checks every hash; each damaged object is told with
// the checkpoints that need it. Equal directories and contents are looked at once. It repairs nothing.
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import type { CheckpointId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import { type ObjectReader, wholeBytesMax } from '../../git/objects/object-reader.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import { runGit } from '../../git/process/run.ts';
import type { StoredCheckpoint, StoreProblem } from '../snapshot-store.ts';
import { partsOfSnapshot } from './checkpoints.ts';
import type { TreeReader } from './trees.ts';

interface Needs {
  readonly blobs: ReadonlySet<string>;
  readonly problem?: StoreProblem;
}

export async function verifyCheckpoints(
  checkpoints: readonly StoredCheckpoint[],
  trees: TreeReader,
  reader: ObjectReader,
  signal?: AbortSignal,
  onChecked?: (contents: number) => void,
): Promise<StoreProblem[]> {
  const needs = new Map<string, Needs>();
  const problems: StoreProblem[] = [];
  const users = new Map<string, CheckpointId[]>();
  for (const { record } of checkpoints) {
    signal?.throwIfAborted();
    const key = record.snapshot;
    users.set(key, [...(users.get(key) ?? []), record.id]);
    if (!needs.has(key)) needs.set(key, await needsOf(record.snapshot, trees));
  }
  const blobs = new Set<string>();
  for (const [snapshot, need] of needs) {
    for (const blob of need.blobs) blobs.add(blob);
    if (need.problem !== undefined) problems.push({ ...need.problem, affects: users.get(snapshot) ?? [] });
  }
  onChecked?.(blobs.size);
  for (const [blob, kind] of await damaged([...blobs], reader, signal)) {
    const affects = [...needs].flatMap(([snapshot, need]) =>
      need.blobs.has(blob) ? (users.get(snapshot) ?? []) : [],
    );
    problems.push({ kind, what: blob, affects });
  }
  return problems;
}

async function needsOf(snapshot: StoredCheckpoint['record']['snapshot'], trees: TreeReader): Promise<Needs> {
  const { tree, modes } = partsOfSnapshot(snapshot);
  const blobs = new Set<string>();
  try {
    const all = await trees.all(tree);
    for (const items of all.values()) {
      for (const { mode, id } of items) if (mode !== '040000') blobs.add(id);
    }
    await trees.modes(snapshot);
    if (modes !== undefined) blobs.add(modes);
    return { blobs };
  } catch (error) {
    if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
    const kind = error.details?.problem === 'missing' ? 'missing' : 'corrupt';
    const { object, tree: bad } = error.details ?? {};
    const what = typeof object === 'string' ? object : typeof bad === 'string' ? bad : tree;
    return { blobs, problem: { kind, what, affects: [] } };
  }
}

/** Reads each blob to its end; a few at a time, so that memory holds a few. */
async function damaged(
  blobs: readonly string[],
  reader: ObjectReader,
  signal?: AbortSignal,
): Promise<Map<string, 'missing' | 'corrupt'>> {
  const bad = new Map<string, 'missing' | 'corrupt'>();
  const slices = new Slices(signal);
  const sizes = await reader.sizes(blobs);
  const check = async (blob: string, size: number): Promise<void> => {
    try {
      if (size <= wholeBytesMax) await reader.read('blob', blob);
      else for await (const _ of reader.stream('blob', blob, size)) signal?.throwIfAborted();
    } catch (error) {
      if (!(error instanceof CheckpointdError) || error.kind !== 'DataCorrupt') throw error;
      bad.set(blob, error.details?.problem === 'missing' ? 'missing' : 'corrupt');
    }
  };
  for (let at = 0; at < blobs.length; at += 16) {
    await Promise.all(blobs.slice(at, at + 16).map((blob, index) => check(blob, sizes[at + index] ?? -1)));
    if (slices.isDue()) await slices.pause();
  }
  return bad;
}

/** The error for a store whose refs are there and of whose checkpoints none can be read, this commit among them. */
export async function damagedWhole(place: GitPlace, commit: string, held: number): Promise<CheckpointdError> {
  // Git names the file that it stumbles over, and nothing when the object is not there.
  const args = ['cat-file', 'commit', commit];
  const { stderr } = await runGit({ place, args, accept: [0, 1, 128] });
  const [file] =
    /\/[^\n'"]*?\.(?:pack|idx)\b|\/[^\n'"]*?\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}/.exec(stderr) ?? [];
  const where = file === undefined ? `commit ${commit} of them is missing or damaged` : `${file} is damaged`;
  return new CheckpointdError(
    'StoreCorrupt',
    `None of the ${held} checkpoints of this session can be read, although their refs are there: ${where}. Look at what is damaged with git fsck, put it back from a backup or a clone, and open the session again; or use checkpoint/init to set aside what is left and begin anew.`,
    { details: { ...given({ path: file }), commit, checkpoints: held, said: stderr.slice(0, 500) } },
  );
}
