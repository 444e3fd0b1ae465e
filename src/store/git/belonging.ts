// Decides to which session the hidden refs in the user's repository belong. A session's id is computed from work tree,
// conversation and strategy. So a second storage can have a session with the same id and the same refs. The second
// session would move the tags of the first session. At its end, the second session would remove the checkpoints of the
// first session. Therefore one more ref points to a small note that names the session's directory. While the named
// directory exists, the daemon refuses to open a session in another directory. Within one storage, the lock of a
// session already ensures a single owner.
import { dirname, join } from 'node:path';
import { attemptOr, isOfSystem } from '../../base/attempt.ts';
import { directoryAt, isSameDirectory } from '../../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { objectId } from '../../git/objects/object.ts';
import { runGit } from '../../git/process/run.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import { containsFile } from '../../git/repository/bare-repository.ts';
import { findRepository } from '../../git/repository/git-dir.ts';
import type { Quarantine } from './quarantine.ts';
import { ownerRef, type RefNames } from './refs.ts';

interface BelongingParts {
  readonly refs: RefStore;
  readonly names: RefNames;
  readonly quarantine: Quarantine;
  readonly incoming: string;
  /** The daemon's own git dir, in which git sees all objects. */
  readonly gitDir: string;
  readonly sessionDirectory: string;
}

/**
 * Checks that the refs do not belong to a session of another storage. @throws StrategyUnavailable when another storage
 * owns the refs
 */
export async function refuseOthersRefs(parts: BelongingParts): Promise<void> {
  const noted = parts.refs.refs.get(ownerRef(parts.names));
  if (noted === undefined || noted === noteOf(parts).id) return;
  const other = await namedIn(noted, parts.gitDir);
  if (other !== undefined && isOther(other, parts.sessionDirectory)) throw taken(other);
}

/**
 * Writes the note, which says that the refs belong to this session. Called before the first ref moves.
 * @throws the same errors as a publication
 */
export async function claimRefs(parts: BelongingParts): Promise<void> {
  const { refs, names, quarantine, incoming } = parts;
  const { id, bytes } = noteOf(parts);
  const ref = ownerRef(names);
  if (refs.refs.get(ref) === id) return;
  const args = ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin'];
  await runGit({ place: quarantine.place(incoming), args, input: bytes });
  await quarantine.release();
  await refs.commit([{ ref, to: id }]);
}

function noteOf({ sessionDirectory }: BelongingParts): { readonly id: string; readonly bytes: Buffer } {
  const bytes = Buffer.from(
    `${JSON.stringify({ sessionDirectory: files.realpathSync(sessionDirectory) })}\n`,
  );
  return { id: objectId('blob', bytes), bytes };
}

async function namedIn(blob: string, gitDir: string): Promise<string | undefined> {
  const { stdout } = await runGit({ place: { gitDir }, args: ['cat-file', 'blob', blob], accept: [0, 128] });
  // If the note was pruned or is damaged, the refs belong to no storage.
  const note = parseJson(stdout.toString('utf8'));
  const named = isObject(note) ? note['sessionDirectory'] : undefined;
  return typeof named === 'string' ? named : undefined;
}

/**
 * True when the named directory contains another session. False when the named directory is missing, or was moved and
 * is now this session's directory.
 */
function isOther(named: string, own: string): boolean {
  try {
    if (files.lstatSync(join(named, 'checkpointd', 'session.json'), { throwIfNoEntry: false }) === undefined)
      return false;
  } catch (error) {
    // The directory probably belongs to another user. A session that the daemon cannot read still owns its refs.
    return !/^(ENOTDIR|ELOOP|ENAMETOOLONG)$/.test(systemCode(error) ?? '');
  }
  return !isSameDirectory(directoryAt(named), directoryAt(own));
}

function taken(other: string): CheckpointdError {
  return new CheckpointdError(
    'StrategyUnavailable',
    `Another storage directory has a session (${other}) that already keeps the checkpoints of this conversation in this repository. Set storageDir to that storage directory, and open the session or delete it (session/delete). Or use another conversationId, or the strategy shadow.`,
    { details: { strategy: 'local', sessionDirectory: other } },
  );
}

// A work tree inside a repository may later get a repository of its own. The refs of the work tree's session then stay
// in the outer repository. Later openings look only in the inner repository. This code only finds and reports such
// refs; it does not move them.

/**
 * Returns the error for a session whose refs (below `prefix`) are in the outer repository.
 */
export function inOuterRepository(
  workTree: string,
  prefix: string,
  count: number,
): CheckpointdError | undefined {
  const nearest = findRepository(workTree);
  if (nearest === undefined || hasRefs(nearest.commonDir, prefix)) return undefined;
  for (let at = nearest.root; dirname(at) !== at; ) {
    const outer = findRepository(dirname(at));
    if (outer === undefined) return undefined;
    if (hasRefs(outer.commonDir, prefix)) return leftBehind(nearest.root, outer.root, count);
    at = outer.root;
  }
  return undefined;
}

function hasRefs(commonDir: string, prefix: string): boolean {
  return attemptOr(false, isOfSystem, () => {
    if (containsFile(join(commonDir, prefix))) return true;
    return readRegularFile(join(commonDir, 'packed-refs'))?.includes(` ${prefix}`) === true;
  });
}

function leftBehind(nearest: string, outer: string, count: number): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `${nearest} got a repository of its own after the session was last open, but the session's checkpoints (${count}) are still in the repository of ${outer}. To keep the checkpoints, move ${join(nearest, '.git')} away and open the session again. Or use checkpoint/init to start again in the new repository.`,
    { details: { path: nearest, holder: outer, checkpoints: count } },
  );
}
