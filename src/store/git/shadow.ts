// Strategy `shadow`: the session directory is itself a bare repository laid out as specified, with everything in
// it, so that it lives and dies with the session and the user's repository is never opened. Other files of the daemon
// lie in its sub-folder `checkpointd/`.
import { join } from 'node:path';
import { watchStanding } from '../../base/directory-identity.ts';
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
import { putBackText, repairRefs } from './put-back.ts';
import { shadowNames as names, refDirectories } from './refs.ts';
import { Unsynced } from './unsynced.ts';

/** Makes or reopens the shadow; the caller holds the session's lock. @throws GitMissing, GitTooOld, StoreCorrupt */
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
  const refs = new RefStore({
    place,
    prefixes: Object.values(names),
    directories: refDirectories(names),
    onPutBack: (back, lost) => options.tell?.(putBackText(back, lost)),
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
    sweep: (signal) => sweepObjects(place, signal),
    usage: () => diskUsage({ gitDir }, [gitDir]),
    // The session directory is the store; removing it removes everything.
    destroy: () => Promise.resolve(),
    gone: watchStanding([objects, join(gitDir, 'refs')]),
    tell: options.tell,
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

/** Everything but our own sub-directory is the store. */
export async function setShadowAside({ sessionDirectory }: StoreOptions, to: string): Promise<void> {
  for (const name of files.readdirSync(sessionDirectory)) {
    if (name !== 'checkpointd') files.renameSync(join(sessionDirectory, name), join(to, name));
  }
}

/** Packs keep what is no longer needed, so they are written again without it; then loose objects go. */
async function sweepObjects(place: GitPlace, signal: AbortSignal | undefined): Promise<void> {
  const packs = files.readdirSync(join(place.gitDir, 'objects', 'pack'));
  if (packs.some((name) => name.endsWith('.pack'))) {
    await runGit({ place, args: ['repack', '-a', '-d', '-q', '-n'], signal });
  }
  await runGit({ place, args: ['prune', '--expire=now'], signal });
}
