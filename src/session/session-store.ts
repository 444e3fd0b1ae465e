// Opens the store of one session, and distinguishes a new store from a lost store. If the client wants a new start,
// moves a damaged store aside. The checkpoints in the store are handled by enable.ts.
import { join } from 'node:path';
import { timestamp } from '../base/clock.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import {
  brokenRepository,
  findRepository,
  isRepositoryHidden,
  makeRepository,
} from '../git/repository/git-dir.ts';
import { setAside } from '../restore/recover.ts';
import { GuardedStore, PublishedList } from '../store/guarded-store.ts';
import type { SnapshotStore, StoredCheckpoint, StoreOptions } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import { UnusableRepository } from '../store/unusable-repository.ts';
import type { SessionMarker } from './description.ts';
import type { SessionDirectory } from './directory.ts';
import type { Session } from './session.ts';

export interface OpenedStore {
  readonly store: SnapshotStore;
  readonly stored: StoredCheckpoint[];
}

/**
 * Opens the store. Never makes a new store in place of a lost store. With `mayMake`, makes a repository if the strategy
 * needs a repository and there is none.
 * @throws StoreCorrupt when the store is damaged as a whole or has lost all its data; the errors of the driver
 */
export async function openStore(session: Session, mayMake: boolean): Promise<OpenedStore> {
  const { marker, workTree, log } = session.parts;
  const driver = strategyNamed(marker.strategy);
  const published = PublishedList.open(session.parts.directory.publishedFile);
  // Searches for the repository again, because the user may have made a repository since the session was
  // opened.
  if (driver.needsRepository && findRepository(workTree.root) === undefined) {
    if (isRepositoryHidden(workTree.root)) throw hiddenRepository('StoreCorrupt', workTree.root);
    refuseBroken(workTree.root);
    if (!mayMake) throw withoutRepository(workTree.root, published.ids.size);
    await makeRepository(workTree.root);
    log.info(`made a git repository in ${workTree.root}, as the client requested`);
  }
  // Refuses a broken repository. Git would otherwise use a repository further up, which does not contain the session's
  // data.
  else if (driver.needsRepository && published.ids.size > 0) refuseBroken(workTree.root);
  const inner = await driver.open({ ...openOptions(session), expected: published.ids.size });
  const store = new GuardedStore(inner, published);
  try {
    return { store, stored: await store.compare() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Moves what is left of a damaged store, and the files that belong to the store, into a directory of the session. */
export async function setStoreAside(session: Session): Promise<void> {
  const { directory, marker, log } = session.parts;
  const to = join(directory.own, `damaged-${timestamp().replaceAll(/[^0-9]/g, '')}`);
  files.mkdirSync(to, { mode: 0o700 });
  await strategyNamed(marker.strategy).setAside(openOptions(session), to);
  if (files.existsSync(directory.publishedFile))
    files.renameSync(directory.publishedFile, join(to, 'published.log'));
  // The unfinished restore refers to checkpoints that no longer exist.
  if (files.existsSync(directory.intentFile)) setAside(session.parts);
  log.warn(`The damaged checkpoint store of ${directory.root} was moved to ${to}.`);
}

/**
 * Opens the store of a closed session, in order to empty it. Returns undefined when the store's repository is gone with
 * all its data. `expected` is the number of checkpoints in the store.
 * @throws StoreCorrupt and the driver's errors
 */
export async function openClosedStore(
  directory: SessionDirectory,
  marker: SessionMarker,
): Promise<{ readonly store: SnapshotStore; readonly expected: number } | undefined> {
  const { workTree } = marker;
  const driver = strategyNamed(marker.strategy);
  const options = storeOptions(directory, marker);
  if (driver.needsRepository && !isRepositoryHidden(workTree)) refuseBroken(workTree);
  if (options.gitDirectory === undefined && driver.needsRepository) {
    if (isRepositoryHidden(workTree)) throw hiddenRepository('StoreUnavailable', workTree);
    return undefined;
  }
  // An interrupted deletion of the session may have emptied the store already.
  const expected = directory.isBeingDeleted ? 0 : PublishedList.open(directory.publishedFile).ids.size;
  return { store: await driver.open({ ...options, expected }), expected };
}

function openOptions({ parts: { directory, marker, workTree, options, log } }: Session): StoreOptions {
  return {
    ...storeOptions(directory, { ...marker, workTree: workTree.root }),
    durability: options.durability,
    onRepair: (what) => log.warn(what),
  };
}

function storeOptions(
  directory: SessionDirectory,
  { session, workTree, conversationId }: SessionMarker,
): StoreOptions {
  return {
    session,
    sessionDirectory: directory.root,
    storageDirectory: directory.storage,
    workTree,
    conversationId,
    gitDirectory: findRepository(workTree)?.gitDir,
    durability: 'process',
  };
}

/**
 * Returns an error if the work tree, or a directory above it, has a damaged git directory.
 */
export function unusableAround(root: string): UnusableRepository | undefined {
  const broken = brokenRepository(root);
  return broken && new UnusableRepository(broken.what, broken.path);
}

function refuseBroken(root: string): void {
  const unusable = unusableAround(root);
  if (unusable !== undefined) throw unusable;
}

/** Returns the error for a repository that has the checkpoints, but that this user is not allowed to read. */
function hiddenRepository(kind: 'StoreCorrupt' | 'StoreUnavailable', root: string): CheckpointdError {
  return new CheckpointdError(
    kind,
    `This user has no permission to read the repository of ${root}, which holds the checkpoints of this session. Make its .git readable, then try again.`,
    { details: { path: root } },
  );
}

/** Returns the error for checkpoints whose repository is gone. */
function withoutRepository(root: string, checkpoints: number): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The repository of ${root}, which held ${checkpoints} checkpoints of this session, no longer exists. Put it back if you can. Otherwise use checkpoint/init to make a new repository and start again.`,
    { details: { path: root, checkpoints } },
  );
}

/**
 * Returns the path of the git repository for this session's checkpoints, if the strategy uses a separate
 * repository.
 */
export function ownRepository({ parts }: Session): string | undefined {
  return strategyNamed(parts.marker.strategy).ownRepository?.(parts.directory.root);
}
