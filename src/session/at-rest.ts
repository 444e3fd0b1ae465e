// Loads a closed session from its directory for reading. Does not claim the session, writes none of its files, and
// starts neither a recovery nor a watcher. Refuses a session that was not closed properly. Also refuses a session in
// which an opening would repair something, finish a restore or give a warning, because only a daemon may do this.
import { join } from 'node:path';
import { directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import { StatsCache } from '../checkpoints/compared.ts';
import { findRepository } from '../git/repository/git-dir.ts';
import { PublishedList } from '../store/guarded-store.ts';
import type { ReadableStore } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import { openWorkTree, storageWithin, type WorkTree } from '../work-tree/work-tree.ts';
import type { SessionMarker } from './description.ts';
import { SessionDirectory } from './directory.ts';
import { joinLog, readKeptLog } from './kept-log.ts';
import { closedInOrder } from './owner.ts';
import { Session, type SessionOptions } from './session.ts';
import { openCapturer } from './watching.ts';

/** The id of a session, and the path of its work tree as a client would name it. */
export interface RestingPlace {
  readonly session: string;
  readonly workspace: string;
}

export interface SessionAtRest {
  readonly session: Session;
  /** Returns true as long as no process has claimed the session since {@link readAtRest} loaded it. */
  isAtRest(): boolean;
  close(): Promise<void>;
}

/**
 * Loads the session for reading. `scratch` is an empty directory of the caller. A comparison with the work tree stores
 * its files there.
 * @throws any error when a daemon must open the session instead
 */
export async function readAtRest(
  { session: id, workspace }: RestingPlace,
  options: SessionOptions,
  scratch: string,
): Promise<SessionAtRest> {
  const directory = new SessionDirectory(options.storage, id as SessionId);
  const owner = closedInOrder(directory);
  requireThat(owner !== undefined, 'the session was not closed properly');
  const marker = markerOf(directory);
  const workTree = openWorkTree(workspace, { allowProtected: true });
  requireSameWorkTree(marker, workTree, options.storage);
  const { store, stored } = await readStore(directory, marker, workTree, scratch);
  const closing: (() => unknown)[] = [() => store.close()];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const session = await assemble(directory, marker, workTree, options);
    closing.push(() => session.parts.sessionLog.close());
    const capture = openCapturer(session, store, join(scratch, 'ignore'));
    closing.push(() => capture.close('deleted')); // 'deleted' prevents this call from writing the list of known files
    const index = new CheckpointIndex([...stored], session.parts.removedParents);
    const checkpoints = { store, capture, index, stats: new StatsCache(), ledger: session.parts.ledger };
    joinLog(session, stored, index.head, false);
    session.enable(checkpoints);
    return { session, close, isAtRest: () => closedInOrder(directory) === owner };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The names of the files that a properly closed session may have besides its store. */
const restingNames =
  /^(session\.json|owner\.json|session\.log|published\.log|summary\.json|checkpoints-enabled|known-files|packed-records|ignore|spool|fence)$/;

function markerOf(directory: SessionDirectory): SessionMarker {
  directory.refuseLaterFormat();
  const marker = directory.readMarker();
  requireThat(marker !== undefined && directory.ours() !== undefined, 'its session.json is damaged');
  requireThat(marker.retention === 'keep', 'the session is kept only while a client has the session open');
  const names = files.readdirSync(directory.own);
  requireThat(
    names.every((name) => restingNames.test(name)),
    'an operation is unfinished',
  );
  requireThat(names.includes('checkpoints-enabled'), 'its checkpoints are disabled');
  return marker;
}

function requireSameWorkTree(marker: SessionMarker, workTree: WorkTree, storage: string): void {
  const [then, now] = [marker.replacedBy?.directory ?? marker.workTreeDirectory, directoryAt(workTree.root)];
  requireThat(isSameDirectory(then, now) && workTree.root === marker.workTree, 'its work tree was replaced');
  requireThat(storageWithin(workTree, storage) === undefined, 'its storage is in its work tree');
}

async function readStore(
  directory: SessionDirectory,
  { strategy, conversationId, session }: SessionMarker,
  workTree: WorkTree,
  scratch: string,
): Promise<ReadableStore> {
  const driver = strategyNamed(strategy);
  requireThat(driver.openToRead !== undefined, `its strategy is ${strategy}`);
  const published = PublishedList.open(directory.publishedFile);
  const repository = findRepository(workTree.root);
  const readable = await driver.openToRead(
    {
      session,
      sessionDirectory: directory.root,
      storageDirectory: directory.storage,
      workTree: workTree.root,
      conversationId,
      gitDirectory: repository?.gitDir,
      expected: published.ids.size,
      durability: 'process',
    },
    scratch,
  );
  const isAll =
    published.isKept &&
    readable.stored.length > 0 &&
    readable.stored.length === published.ids.size &&
    readable.stored.every(({ record }) => published.ids.has(record.id));
  if (isAll) return readable;
  await readable.store.close();
  throw doubt('its store lacks published checkpoints');
}

async function assemble(
  directory: SessionDirectory,
  marker: SessionMarker,
  workTree: WorkTree,
  options: SessionOptions,
): Promise<Session> {
  const kept = await readKeptLog(directory, marker);
  const notOurs = {
    isOwner: () => false,
    requireOwner: () => {
      throw doubt('the command may only read the session');
    },
    release: () => undefined,
  };
  return new Session({
    marker,
    directory,
    owner: notOurs,
    workTree,
    options,
    ...kept,
    events: silent,
    neighbours: () => [],
    onPoison: () => undefined,
    log: createLog('error', []),
  });
}

const nothing = (): Promise<void> => Promise.resolve();
/** Ignores all events, because a session that is only read has none to send. */
const silent = {
  opened: nothing,
  created: nothing,
  restored: nothing,
  failed: () => undefined,
  workTreeChanged: () => undefined,
  workTreeDrifted: () => undefined,
  conversationChanged: () => undefined,
  lineFound: () => undefined,
  pushed: () => undefined,
};

function requireThat(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw doubt(otherwise);
}

function doubt(why: string): CheckpointdError {
  return new CheckpointdError(
    'StoreUnavailable',
    `This session cannot be read without opening the session: ${why}.`,
  );
}
