// Opens the git store of a closed session for reading. The reader reads refs and loose objects directly from their
// files. For other objects the reader runs git in `scratch`, which becomes a git directory with the store's objects as
// alternates. A capture writes its objects to this git directory. The reader refuses any store that an ordinary opening
// would repair.
import { join } from 'node:path';
import { CheckpointdError } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { quoteLine } from '../../git/objects/object-writer.ts';
import { RefStore } from '../../git/refs/ref-store.ts';
import { commonDirectory } from '../../git/repository/repository-settings.ts';
import type { ReadableStore, StoreOptions } from '../snapshot-store.ts';
import type { GitHome } from './git-home.ts';
import { GitStore } from './git-store.ts';
import { PackedRecords, recordsFile } from './packed-records.ts';
import { localNames, type RefNames, shadowNames } from './refs.ts';
import { areInPlace } from './repair.ts';
import { Unsynced } from './unsynced.ts';

interface Place {
  readonly strategy: string;
  readonly objects: readonly string[];
  readonly refsIn: string;
  readonly intentFile: string;
  readonly names: RefNames;
  readonly prefixes: readonly string[];
  readonly records?: PackedRecords;
}

/** Opens the store of strategy `shadow`. @throws any error when the store may be damaged */
export function openShadowToRead(
  { sessionDirectory: gitDir }: StoreOptions,
  scratch: string,
): Promise<ReadableStore> {
  const place = {
    strategy: 'shadow',
    objects: [join(gitDir, 'objects')],
    refsIn: gitDir,
    intentFile: join(gitDir, 'checkpointd', 'ref-intent.json'),
    names: shadowNames,
    prefixes: Object.values(shadowNames),
    records: new PackedRecords(join(gitDir, 'objects'), recordsFile(gitDir)),
  };
  return openToRead(place, scratch);
}

/** Opens the store of strategy `local`. @throws any error when the store may be damaged */
export async function openLocalToRead(
  { session, sessionDirectory, gitDirectory }: StoreOptions,
  scratch: string,
): Promise<ReadableStore> {
  if (gitDirectory === undefined) throw doubtful('The work tree is in no repository.');
  const commonDir = commonDirectory(gitDirectory);
  const own = join(sessionDirectory, 'local');
  const names = localNames(session);
  const place = {
    strategy: 'local',
    objects: [join(own, 'incoming'), join(own, 'kept'), join(commonDir, 'objects')],
    refsIn: commonDir,
    intentFile: join(own, 'ref-intent.json'),
    names,
    prefixes: [names.own],
  };
  return openToRead(place, scratch);
}

async function openToRead(place: Place, gitDir: string): Promise<ReadableStore> {
  const { strategy, objects, refsIn, intentFile, names, prefixes, records } = place;
  layOut(gitDir, objects);
  const refs = new RefStore({
    place: { gitDir },
    refsIn,
    prefixes,
    directories: [],
    intentFile,
    durable: false,
    syncsFiles: false,
  });
  refs.openToRead();
  const refuse = (): Promise<never> => Promise.reject(doubtful('The store was opened only for reading.'));
  const home: GitHome = {
    strategy,
    writePlace: { gitDir },
    isBelieved: false,
    readPlace: { gitDir },
    looseIn: [...objects, join(gitDir, 'objects')],
    spoolDirectory: gitDir,
    refs,
    names,
    transferObjects: refuse,
    close: () => Promise.resolve(),
    sweep: refuse,
    unsynced: new Unsynced({ refsIn: gitDir, besides: [], refs: () => [] }),
    ...(records !== undefined && {
      records: {
        read: (stamps) => records.read(stamps),
        stamps: () => records.stamps(),
        write: () => undefined,
      },
    }),
    usage: refuse,
    destroy: refuse,
    gone: () => undefined,
    onRepair: undefined,
  };
  const store = new ReadingStore(home);
  try {
    const stored = await store.checkpoints();
    if (store.damaged().length > 0 || !areInPlace(home, stored))
      throw doubtful('Some refs are missing or belong to no checkpoint.');
    return { store, stored };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Does not look for the directories of the last snapshot, because the command publishes no checkpoint that needs them.
 * If a comparison needs a lost directory, git reports the loss.
 */
class ReadingStore extends GitStore {
  override hasDirectories(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

/** Makes the minimal repository that git accepts. Few directories, because some disks need a millisecond for each. */
function layOut(gitDir: string, objects: readonly string[]): void {
  for (const name of ['objects/info', 'refs'])
    files.mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
  files.writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  files.writeFileSync(join(gitDir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  const alternates = objects.map((each) => `${quoteLine(each)}\n`).join('');
  files.writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), alternates);
}

function doubtful(why: string): CheckpointdError {
  return new CheckpointdError('StoreUnavailable', `${why} Open the session.`);
}
