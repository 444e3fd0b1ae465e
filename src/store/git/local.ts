// Strategy `local` (the specified LocalCheckpointService): checkpoints are hidden refs of the session in the user's own
// repository. The specification describes five phases, some of which endanger the repository. This strategy has the
// same effect without these dangers. The daemon never opens HEAD, branches, index, stash, reflogs, settings or work
// tree for writing. The daemon runs no program of the user's repository.
//
// Git never works in the user's git dir. Git works in two git dirs of the daemon, both with the daemon's settings.
// `view.git` sees all objects (the daemon's and the user's) as alternates. `refs.git` has symbolic links to the user's
// `refs` and `packed-refs`. So git reads no line of the user's config, and runs no hook, filter, monitor or fetch that
// the config names. Overriding the user's settings with `-c` would protect only against settings that are known today.
// On systems without such links (Windows), git moves the refs in the user's git dir. On these systems, only the weaker
// `-c` settings protect the user.
import { basename, join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { replacementDetector } from '../../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { quoteLine } from '../../git/objects/object-writer.ts';
import { durableSettings, type GitPlace, syncedRefSettings } from '../../git/process/environment.ts';
import { runGit } from '../../git/process/run.ts';
import { checkGit, syncsRefs } from '../../git/process/version.ts';
import { type RefChange, syncRefFiles } from '../../git/refs/ref-files.ts';
import { RefStore } from '../../git/refs/ref-store.ts';
import { countBlobs, diskUsage, openBareRepository } from '../../git/repository/bare-repository.ts';
import { commonDirectory, repositorySettings } from '../../git/repository/repository-settings.ts';
import type { StoreOptions } from '../snapshot-store.ts';
import { convertedRepository, foreignText, openedRefs, unreadableSettings } from '../unusable-repository.ts';
import { claimRefs, inOuterRepository, refuseOthersRefs } from './belonging.ts';
import type { GitHome } from './git-home.ts';
import { GitStore } from './git-store.ts';
import { Quarantine, sharingOf } from './quarantine.ts';
import { localNames, type RefNames, refDirectories } from './refs.ts';
import { movedRefsText, repairRefs } from './repair.ts';
import { Unsynced } from './unsynced.ts';

/**
 * Makes or reopens the store. The caller has the session's lock.
 * @throws StrategyUnavailable, GitMissing, GitTooOld
 */
export async function openLocal(options: StoreOptions): Promise<GitStore> {
  await checkGit();
  files.mkdirSync(options.sessionDirectory, { recursive: true, mode: 0o700 });
  const { commonDir, shared } = await userRepository(options);
  const durable = options.durability === 'power';
  const own = join(options.sessionDirectory, 'local');
  const { gitDir, incoming, kept, theirs } = await openView(own, commonDir, shared);
  const spoolDirectory = join(own, 'spool');
  files.rmSync(spoolDirectory, { recursive: true, force: true });
  files.mkdirSync(spoolDirectory, { recursive: true, mode: 0o700 });
  const quarantine = new Quarantine({
    incoming,
    kept,
    theirs,
    gitDir,
    commonDir,
    sharing: sharingOf(shared),
  });
  await quarantine.open();
  const names = localNames(options.session);
  const refs = await openRefs(options, own, commonDir, names, () => quarantine.restoreObjects());
  const settings = durable ? durableSettings : {};
  const gone = replacementDetector([theirs, join(commonDir, 'refs'), own]);
  const belonging = { refs, names, quarantine, incoming, gitDir, sessionDirectory: options.sessionDirectory };
  const home: GitHome = {
    strategy: 'local',
    writePlace: { ...quarantine.place(incoming), settings },
    isBelieved: false,
    readPlace: { gitDir },
    spoolDirectory,
    refs,
    names,
    transferObjects: async (roots, isDoubtful) => {
      await claimRefs(belonging);
      await transferObjects(quarantine, roots, isDoubtful);
    },
    refsMoved: () => quarantine.watchOver(),
    close: async () => (gone() === undefined ? quarantine.close() : quarantine.kill()),
    // The quarantine itself syncs objects before it links them into the user's repository.
    unsynced: new Unsynced({ refsIn: commonDir, besides: [], refs: () => refs.refs.keys() }),
    sweep: async () => quarantine.drop(await reachable({ gitDir }, refs)),
    usage: async () => {
      const { bytes, blobs } = await diskUsage(quarantine.place(incoming), [own]);
      return { bytes, blobs: blobs + (await countBlobs(quarantine.place(kept))) };
    },
    destroy: () => destroyRefs(refs),
    explainLoss: (count) => inOuterRepository(options.workTree, names.own, count),
    gone,
    onRepair: options.onRepair,
  };
  const store = new GitStore(home);
  try {
    await refuseOthersRefs(belonging);
    await repairRefs(refs, home.names, home.readPlace);
  } catch (error) {
    store.kill();
    throw error;
  }
  return store;
}

/** Makes the daemon's git dir that sees all objects, the daemon's and the user's. */
async function openView(
  own: string,
  commonDir: string,
  shared: string,
): Promise<{
  readonly gitDir: string;
  readonly incoming: string;
  readonly kept: string;
  readonly theirs: string;
}> {
  const gitDir = join(own, 'view.git');
  const [incoming, kept] = [join(own, 'incoming'), join(own, 'kept')];
  const theirs = join(commonDir, 'objects');
  await openBareRepository(
    gitDir,
    sharingOf(shared) && `[core]\n\tsharedRepository = ${shared || 'group'}\n`,
  );
  const alternates = [incoming, kept, theirs].map((each) => `${quoteLine(each)}\n`).join('');
  writeAtomically(join(gitDir, 'objects', 'info', 'alternates'), alternates);
  return { gitDir, incoming, kept, theirs };
}

/**
 * Moves the daemon's copies of the objects to another directory. Renames the refs in the user's repository, so that no
 * opening finds checkpoints through them. The renamed refs still protect their objects.
 */
export async function setLocalAside(options: StoreOptions, to: string): Promise<void> {
  const own = join(options.sessionDirectory, 'local');
  if (files.existsSync(own)) files.renameSync(own, join(to, 'local'));
  const { commonDir, shared } = await userRepository(options);
  // Makes new git directories for this work, because the moved git directories may be damaged.
  await openView(own, commonDir, shared);
  const gitDir = refsGitDir(own, commonDir);
  const prefix = localNames(options.session).own;
  const listing = ['for-each-ref', '--format=%(objectname) %(refname)', prefix];
  const { stdout } = await runGit({ place: { gitDir }, args: listing });
  const moves = stdout
    .toString('latin1')
    .split('\n')
    .flatMap((line): RefChange[] => {
      const [object, ref = ''] = line.split(' ');
      if (!ref.startsWith(prefix) || ref.startsWith(`${prefix}aside/`)) return [];
      const aside = `${prefix}aside/${basename(to)}/${ref.slice(prefix.length)}`;
      return [
        { ref: aside, to: object },
        { ref, to: undefined },
      ];
    });
  if (moves.length === 0) return;
  const lines = moves.map(({ ref, to }) => (to === undefined ? `delete ${ref}\n` : `create ${ref} ${to}\n`));
  const place = { gitDir, settings: syncedRefSettings };
  const args = ['update-ref', '--stdin', '--no-deref'];
  await runGit({ place, args, input: Buffer.from(lines.join(''), 'latin1') });
  if (!syncsRefs(await checkGit())) syncRefFiles(commonDir, moves);
}

async function transferObjects(
  quarantine: Quarantine,
  roots: readonly string[],
  isDoubtful: boolean,
): Promise<void> {
  await quarantine.release();
  if (!isDoubtful || (await quarantine.isWhole(roots))) return;
  await quarantine.restoreObjects();
  if (await quarantine.isWhole(roots)) return;
  throw new CheckpointdError(
    'DataCorrupt',
    'The store removed an earlier checkpoint, and with it data that this snapshot needs. Make the checkpoint again.',
    { details: { roots: [...roots] }, retryable: true },
  );
}

/** Removes all existing refs of the session, even refs that the store does not know. */
async function destroyRefs(refs: RefStore): Promise<void> {
  await refs.reload();
  refs.removeBroken();
  await refs.commit([...refs.refs.keys()].map((ref) => ({ ref, to: undefined })));
}

interface UserRepository {
  readonly commonDir: string;
  /** The setting that says which other users may write to the repository. */
  readonly shared: string;
}

async function userRepository(options: StoreOptions): Promise<UserRepository> {
  const { gitDirectory, sessionDirectory, expected = 0 } = options;
  if (gitDirectory === undefined) {
    throw unavailable(
      'The strategy local stores checkpoints in a git repository, but the work tree is not in one. Run "git init" there, or use the strategy shadow.',
    );
  }
  const commonDir = commonDirectory(gitDirectory);
  const config = join(commonDir, 'config');
  const { foreign, shared } = await repositorySettings(config, sessionDirectory).catch((error: unknown) => {
    throw unreadableSettings(config, error);
  });
  if (foreign === undefined) return { commonDir, shared };
  if (expected > 0) throw convertedRepository(commonDir, foreign, expected);
  throw unavailable(
    `The repository ${foreignText[foreign]}, which the strategy local does not support. Use the strategy shadow.`,
  );
}

async function openRefs(
  options: StoreOptions,
  own: string,
  commonDir: string,
  names: RefNames,
  restoreObjects: () => Promise<void>,
): Promise<RefStore> {
  const durable = options.durability === 'power';
  const place: GitPlace = {
    gitDir: refsGitDir(own, commonDir),
    // The user's git may hold these locks for a moment (`pack-refs` in `gc`).
    settings: {
      'core.filesRefLockTimeout': '2000',
      'core.packedRefsTimeout': '5000',
      // The user's git reads the daemon's refs, too, and fails on a ref that a power cut left empty.
      ...(durable ? durableSettings : syncedRefSettings),
    },
  };
  const intentFile = join(own, 'ref-intent.json');
  const refs = new RefStore({
    place,
    refsIn: commonDir,
    prefixes: [names.own],
    directories: refDirectories(names),
    restoreObjects,
    onRepair: (repaired, lost) => options.onRepair?.(movedRefsText(repaired, lost)),
    intentFile,
    durable,
    syncsFiles: !syncsRefs(await checkGit()),
  });
  await openedRefs(refs.open());
  return refs;
}

/** Makes a git dir with the daemon's settings, all objects, and the user's refs. */
function refsGitDir(own: string, commonDir: string): string {
  const gitDir = join(own, 'refs.git');
  files.rmSync(gitDir, { recursive: true, force: true }); // removes links, and never follows them
  files.mkdirSync(gitDir, { mode: 0o700 });
  try {
    for (const name of ['refs', 'packed-refs']) files.symlinkSync(join(commonDir, name), join(gitDir, name));
    files.symlinkSync(join(own, 'view.git', 'objects'), join(gitDir, 'objects'));
  } catch (error) {
    if (systemCode(error) !== 'EPERM') throw error;
    return commonDir;
  }
  for (const name of ['HEAD', 'config']) {
    files.writeFileSync(join(gitDir, name), files.readFileSync(join(own, 'view.git', name)), { mode: 0o600 });
  }
  return gitDir;
}

/** Returns every object that a ref of the daemon protects. */
async function reachable(place: GitPlace, refs: RefStore): Promise<ReadonlySet<string>> {
  const needed = new Set([...refs.refs].map(([, object]) => object));
  if (needed.size === 0) return needed;
  const input = Buffer.from(`${[...needed].join('\n')}\n`, 'latin1');
  const args = ['rev-list', '--objects', '--no-object-names', '--stdin'];
  const { stdout } = await runGit({ place, args, input });
  for (const id of stdout.toString('latin1').split('\n')) if (id !== '') needed.add(id);
  return needed;
}

function unavailable(message: string): CheckpointdError {
  return new CheckpointdError('StrategyUnavailable', message, { details: { strategy: 'local' } });
}
