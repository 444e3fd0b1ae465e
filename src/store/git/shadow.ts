// Strategy `shadow`: the session directory itself is a bare repository with the specified layout. The repository
// contains all data of the session, so a deletion of the session needs no other step. The user's repository is never
// opened. The daemon's other files are in the sub-directory `checkpointd/`.
import { join } from 'node:path';
import { replacementDetector } from '../../base/directory-identity.ts';
import { files } from '../../base/files.ts';
import { durableSettings, type GitPlace } from '../../git/process/environment.ts';
import { runGit } from '../../git/process/run.ts';
import { checkGit, syncsRefs } from '../../git/process/version.ts';
import { RefStore } from '../../git/refs/ref-store.ts';
import { diskUsage, openBareRepository } from '../../git/repository/bare-repository.ts';
import { emptied } from '../guarded-store.ts';
import type { StoreOptions } from '../snapshot-store.ts';
import { openedRefs } from '../unusable-repository.ts';
import type { GitHome } from './git-home.ts';
import { GitStore } from './git-store.ts';
import { PackedRecords, recordsFile } from './packed-records.ts';
import { shadowNames as names, refDirectories } from './refs.ts';
import { movedRefsText, repairRefs } from './repair.ts';
import { Unsynced } from './unsynced.ts';

/**
 * Makes or reopens the shadow repository. The caller has the session's lock. @throws GitMissing, GitTooOld,
 * StoreCorrupt
 */
export async function openShadow(options: StoreOptions): Promise<GitStore> {
  const version = await checkGit();
  const gitDir = options.sessionDirectory;
  const objects = join(gitDir, 'objects');
  const { expected = 0 } = options;
  if (expected > 0 && !files.existsSync(objects)) throw emptied(expected, gitDir);
  const areRefsDamaged = await openBareRepository(gitDir);
  const spoolDirectory = join(gitDir, 'checkpointd', 'spool');
  files.rmSync(spoolDirectory, { recursive: true, force: true });
  files.mkdirSync(spoolDirectory, { recursive: true, mode: 0o700 });
  const durable = options.durability === 'power';
  const place: GitPlace = { gitDir, settings: durable ? durableSettings : {} };
  const intentFile = join(gitDir, 'checkpointd', 'ref-intent.json');
  const records = new PackedRecords(objects, recordsFile(gitDir));
  const refs = new RefStore({
    place,
    packed: () => records.readAhead(),
    prefixes: Object.values(names),
    directories: refDirectories(names),
    onRepair: (repaired, lost) => options.onRepair?.(movedRefsText(repaired, lost)),
    intentFile,
    objects,
    durable,
    syncsFiles: durable && !syncsRefs(version),
    isAlone: !durable,
  });
  await openedRefs(refs.open());
  const home: GitHome = {
    strategy: 'shadow',
    writePlace: place,
    isBelieved: true,
    readPlace: { gitDir },
    looseIn: [objects],
    spoolDirectory,
    refs,
    names,
    close: () => Promise.resolve(),
    unsynced: new Unsynced({
      objects,
      refsIn: gitDir,
      besides: ['HEAD', 'config'].map((name) => join(gitDir, name)),
      refs: () => refs.refs.keys(),
    }),
    packs: objects,
    records,
    sweep: (signal) => sweepObjects(place, signal),
    usage: () => diskUsage({ gitDir }, [gitDir]),
    // The session directory is the store. Removing the directory removes the store.
    destroy: () => Promise.resolve(),
    gone: replacementDetector([objects, join(gitDir, 'refs')]),
    onRepair: options.onRepair,
  };
  const store = new GitStore(home);
  try {
    await repairRefs(refs, names, home.readPlace, areRefsDamaged);
  } catch (error) {
    store.kill();
    throw error;
  }
  return store;
}

/** Moves the store away: everything in the session directory except `checkpointd/`. */
export async function setShadowAside({ sessionDirectory }: StoreOptions, to: string): Promise<void> {
  for (const name of files.readdirSync(sessionDirectory)) {
    if (name !== 'checkpointd') files.renameSync(join(sessionDirectory, name), join(to, name));
  }
}

/** Rewrites packs to drop unneeded objects, then removes unneeded loose objects. */
async function sweepObjects(place: GitPlace, signal: AbortSignal | undefined): Promise<void> {
  const packs = files.readdirSync(join(place.gitDir, 'objects', 'pack'));
  if (packs.some((name) => name.endsWith('.pack'))) {
    await runGit({ place, args: ['repack', '-a', '-d', '-q', '-n'], signal });
  }
  await runGit({ place, args: ['prune', '--expire=now'], signal });
}
