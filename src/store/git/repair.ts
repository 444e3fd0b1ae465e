// Restores refs that another program removed or moved while the session was closed, or that a power cut damaged. Each
// commit contains the whole record of its checkpoint. So the daemon searches all objects for commits, and makes the
// refs of these commits again. The names of checkpoints are stored only in refs, and are lost with the refs. If a tag
// or name was moved to another checkpoint, the daemon moves it back.
import { attemptAsync } from '../../base/attempt.ts';
import { isDamage } from '../../base/errors.ts';
import type { CheckpointId } from '../../base/ids.ts';
import { counted } from '../../base/text/plural.ts';
import { ObjectReader } from '../../git/objects/object-reader.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import { runGit } from '../../git/process/run.ts';
import type { RefChange } from '../../git/refs/ref-files.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../snapshot-store.ts';
import { decodeCommit, partsOfSnapshot, readCheckpoints } from './checkpoints.ts';
import type { GitHome } from './git-home.ts';
import { checkpointRef, meaningOf, modesRef, nameRef, type RefNames, tagRef } from './refs.ts';

interface Found {
  readonly commit: string;
  readonly record: CheckpointRecord;
}

const widthMax = 2000;

/**
 * Restores the refs of lost checkpoints whose objects are complete. Also moves tags and names back. Returns the number
 * of restored checkpoints, and the number of restored tags and names.
 */
export async function repairListing(
  home: GitHome,
  reader: ObjectReader,
  ids: ReadonlySet<CheckpointId>,
  stored: readonly StoredCheckpoint[],
): Promise<RepairedListing> {
  const found = ids.size === 0 ? [] : await whole(home, await find(home, reader, ids));
  const { refs, names } = home;
  const changes = new Map<string, string>();
  for (const { commit, record } of found) {
    const { modes } = partsOfSnapshot(record.snapshot);
    changes.set(checkpointRef(names, record.id), commit);
    if (modes !== undefined) changes.set(modesRef(names, modes), modes);
  }
  const ofStored = stored.flatMap(({ commit, record }) => (commit === undefined ? [] : [{ commit, record }]));
  const moved = misplacedRefs(home, ofStored, found);
  for (const [ref, to] of moved) changes.set(ref, to);
  if (found.length > 0) await home.transferObjects?.([], false);
  await refs.commit([...changes].map(([ref, to]): RefChange => ({ ref, to })));
  const known = [...moved.keys()].filter((ref) => !isOf(found, moved.get(ref)));
  return { checkpoints: found.length, moved: known.length };
}

interface RepairedListing {
  readonly checkpoints: number;
  /** The number of restored tags and names of checkpoints whose own refs were intact. */
  readonly moved: number;
}

function isOf(found: readonly Found[], commit: string | undefined): boolean {
  return found.some((each) => each.commit === commit);
}

/** True when each tag and name points to its own checkpoint, and no ref points to an unknown checkpoint. */
export function areInPlace(
  home: Pick<GitHome, 'refs' | 'names'>,
  stored: readonly StoredCheckpoint[],
): boolean {
  const found = stored.flatMap(({ commit, record }) => (commit === undefined ? [] : [{ commit, record }]));
  if ([...misplacedRefs(home, found, [])].length > 0) return false;
  const commits = new Set(found.map(({ commit }) => commit));
  return [...home.refs.refs].every(([ref, object]) => {
    const { kind } = meaningOf(home.names, ref);
    return kind === 'modes' || kind === 'foreign' || (kind !== 'protecting' && commits.has(object));
  });
}

/**
 * Returns the tags and names that do not point to their checkpoint. A tag belongs to the newest checkpoint that was
 * made under this tag. If a tag has no ref, a user may have removed the ref on purpose. So the daemon restores such a
 * tag only together with a lost checkpoint.
 */
function misplacedRefs(
  home: Pick<GitHome, 'refs' | 'names'>,
  stored: readonly Found[],
  found: readonly Found[],
): Map<string, string> {
  const { refs, names } = home;
  const owners = new Map<string, string>();
  const all = [...stored, ...found].sort((a, b) => a.record.seq - b.record.seq);
  for (const { commit, record } of all) {
    if (record.madeAs === undefined) continue;
    const ref = tagRef(names, record.madeAs);
    if (refs.refs.has(ref) || isOf(found, commit)) owners.set(ref, commit);
  }
  const commits = new Map(all.map(({ commit, record }) => [record.id, commit]));
  for (const ref of refs.refs.keys()) {
    const meaning = meaningOf(names, ref);
    const commit = meaning.kind === 'name' ? commits.get(meaning.id) : undefined;
    if (commit !== undefined) owners.set(ref, commit);
  }
  return new Map([...owners].filter(([ref, to]) => refs.refs.get(ref) !== to));
}

async function find(home: GitHome, reader: ObjectReader, ids: ReadonlySet<CheckpointId>): Promise<Found[]> {
  const format = '--batch-check=%(objecttype) %(objectname)';
  const args = ['cat-file', '--batch-all-objects', '--unordered', format];
  // Git stops listing at a damaged pack. The daemon uses the commits listed so far. A later read of the pack reports
  // the damage.
  const { stdout } = await runGit({ place: home.readPlace, args, accept: [0, 128] });
  const commits = stdout.toString('latin1').match(/(?<=^commit )[0-9a-f]{40}$/gm) ?? [];
  const found: Found[] = [];
  for (let from = 0; from < commits.length; from += widthMax) {
    const part = commits.slice(from, from + widthMax);
    const records = await Promise.all(
      part.map((commit) =>
        attemptAsync(isDamage, async () => decodeCommit(await reader.read('commit', commit), commit)),
      ),
    );
    for (const [at, record] of records.entries())
      if (record !== undefined && ids.has(record.id)) found.push({ commit: part[at] ?? '', record });
  }
  return found;
}

/**
 * Returns the complete checkpoints among the found checkpoints. A ref to an incomplete checkpoint would break the
 * user's own git.
 */
async function whole(home: GitHome, found: readonly Found[]): Promise<Found[]> {
  if (await isWhole(home, found)) return [...found];
  const kept: Found[] = [];
  for (const each of found) if (await isWhole(home, [each])) kept.push(each);
  return kept;
}

async function isWhole(home: GitHome, found: readonly Found[]): Promise<boolean> {
  const roots = found.flatMap(({ commit, record: { snapshot } }) => {
    const { modes } = partsOfSnapshot(snapshot);
    return modes === undefined ? [commit] : [commit, modes];
  });
  const run = await runGit({
    place: home.readPlace,
    args: ['rev-list', '--objects', '--quiet', '--stdin'],
    input: Buffer.from(roots.map((root) => `${root}\n`).join(''), 'latin1'),
    accept: [0, 1, 128],
  });
  return run.exitCode === 0;
}

/** Returns the message about refs that were moved while the session was open. */
export function movedRefsText(repaired: number, lost: number): string {
  const gone =
    lost === 0
      ? ''
      : ` ${lost} could not be put back, because their objects are lost. Use store/verify to see the damage.`;
  return `Another program had removed or changed refs of the checkpoint store. The daemon put back ${repaired} of them.${gone}`;
}

/** Returns the message about refs that were put back when the session was opened. */
export function repairedText({ checkpoints, moved }: RepairedListing): string {
  const since = 'by another program since the session was last open.';
  if (checkpoints === 0)
    return `${counted(moved, 'tag or name', 'tags and names')} had been moved ${since} They were put back.`;
  return `The refs of ${counted(checkpoints, 'checkpoint')} had been removed or moved ${since} They were put back. The names of these checkpoints may be lost.`;
}

// Repairs refs that a power cut left empty or garbled. A tag returns to the newest checkpoint that was made under this
// tag. A name returns to the checkpoint whose id is in the name's ref. A checkpoint's own ref is recovered through its
// tag. A ref that cannot be recovered is removed, so that it can be made again. In a healthy store, the repair only
// checks that a list is empty.

/**
 * `mayLack`: true when refs may be missing without a trace. The daemon then also restores a tag whose checkpoint has no
 * ref.
 */
export async function repairRefs(
  refs: RefStore,
  names: RefNames,
  place: GitPlace,
  mayLack = false,
): Promise<void> {
  const protecting = [...refs.refs.keys()].filter((ref) => meaningOf(names, ref).kind === 'protecting');
  await refs.commit(protecting.map((ref) => ({ ref, to: undefined })));
  const broken = refs.broken.map((ref) => meaningOf(names, ref));
  if (broken.length === 0 && refs.damagedIntent === undefined && !mayLack) return;
  refs.removeBroken();
  const reader = new ObjectReader(place);
  try {
    await refs.commit(await lostCheckpoints(refs, names, reader));
    const { good } = await readCheckpoints(refs, names, reader);
    const found: RefChange[] = [];
    const tags = new Set(broken.flatMap((meaning) => (meaning.kind === 'tag' ? [meaning.tag] : [])));
    if (mayLack) {
      const made = good.flatMap(({ record }) => record.madeAs ?? []);
      for (const tag of made) if (!refs.refs.has(tagRef(names, tag))) tags.add(tag);
    }
    for (const tag of tags) {
      const owner = good.findLast(({ record }) => record.madeAs === tag);
      if (owner !== undefined) found.push({ ref: tagRef(names, tag), to: owner.commit });
    }
    for (const meaning of broken) {
      if (meaning.kind === 'name') {
        const owner = good.find(({ record }) => record.id === meaning.id);
        if (owner !== undefined)
          found.push({ ref: nameRef(names, meaning.id, meaning.name), to: owner.commit });
      }
    }
    await refs.commit(found);
  } finally {
    await reader.close();
  }
}

/** Returns the checkpoints to which only a tag still points. */
async function lostCheckpoints(refs: RefStore, names: RefNames, reader: ObjectReader): Promise<RefChange[]> {
  const changes: RefChange[] = [];
  for (const [ref, commit] of refs.refs) {
    if (meaningOf(names, ref).kind !== 'tag') continue;
    // An unreadable commit must not prevent the repair of other refs. `verify` reports the commit.
    await attemptAsync(isDamage, async () => {
      const record = decodeCommit(await reader.read('commit', commit), commit);
      const own = checkpointRef(names, record.id);
      if (refs.refs.get(own) === undefined) changes.push({ ref: own, to: commit });
    });
  }
  return changes;
}
