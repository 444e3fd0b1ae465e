// Enables checkpoints in a session. Checks for git and a repository, opens the store, and completes work that a kill
// left unfinished. Makes the checkpoint with tag "0" if there is no checkpoint. If checkpoints cannot be enabled, they
// stay disabled, the session records the reason, and no file changes.
import { writeAtomically } from '../base/atomic-file.ts';
import { timestamp } from '../base/clock.ts';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { newCheckpointId } from '../base/ids.ts';
import type { Capturer } from '../capture/capturer.ts';
import { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { StatsCache } from '../checkpoints/compared.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { capturePresent, presentFacts, publish } from '../checkpoints/publish.ts';
import { baseTag } from '../checkpoints/tag.ts';
import { checkGit } from '../git/process/version.ts';
import { recoverAnswered, reopenUnpublished } from '../restore/after-power-cut.ts';
import { unprotectAllMerged } from '../restore/merged-target.ts';
import { recover, setAside, waitsForAnotherRoot } from '../restore/recover.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { UnusableRepository } from '../store/unusable-repository.ts';
import { isGitName } from '../tree/tree-path.ts';
import { recordCheckpoint } from './authorship.ts';
import { joinLog } from './kept-log.ts';
import { restoreSite } from './restores.ts';
import { type DisabledReason, remedies, type Session } from './session.ts';
import { type OpenedStore, openStore, unusableAround } from './session-store.ts';
import { openCapturer } from './watching.ts';

export type InitMode = 'auto' | 'force' | 'never';

/**
 * Returns the reason why the session must not enable checkpoints now, or undefined when the session may enable them.
 */
export async function obstacle(session: Session, mode: InitMode): Promise<DisabledReason | undefined> {
  if (!session.parts.options.features.checkpoints) return 'FeatureOff';
  if (mode === 'never') return 'NotRequested';
  try {
    await checkGit();
  } catch (error) {
    if (isKind('GitMissing', 'GitTooOld')(error)) return error.kind;
    throw error;
  }
  const { repository, directory } = session.parts;
  // If a user enabled checkpoints by hand, the session has checkpoints, and perhaps an unfinished restore. Therefore a
  // resumed session enables checkpoints again.
  if (mode === 'auto' && repository === undefined && !files.existsSync(directory.enabledFile))
    return 'NotARepository';
  return undefined;
}

/**
 * Enables checkpoints. If there is an obstacle, checkpoints stay disabled, and the session gives the obstacle as the
 * reason.
 * @throws GitMissing, GitTooOld, StrategyUnavailable, the store's own errors, CaptureTimedOut after
 * `limits.initTimeoutMs`, AbortError. After such an error checkpoints stay disabled, and the client can try again.
 */
export async function enableCheckpoints(
  session: Session,
  mode: InitMode,
  context: OperationContext,
  recoverConversation = false,
): Promise<void> {
  const reason = await obstacle(session, mode);
  if (reason !== undefined) {
    // Without checkpoints, an unfinished restore can be neither finished nor undone. With this flag, the session
    // refuses changes.
    session.hasUnfinishedRestore = files.existsSync(session.parts.directory.intentFile);
    const because = reason === 'NotARepository' ? unusableAround(session.parts.workTree.root) : undefined;
    return session.disable(reason, because);
  }
  const isGivenUp = session.disabledReason === 'OtherWorkTree'; // an earlier warning has informed the client
  const opened = await storeOrDamage(session, mode);
  if (opened === undefined) return;
  const { store, stored } = opened;
  let capture: Capturer | undefined;
  try {
    capture = openCapturer(session, store);
    warnOfDamage(session, store);
    const checkpoints: Checkpoints = {
      store,
      capture,
      index: new CheckpointIndex(stored, session.parts.removedParents),
      stats: new StatsCache(),
      ledger: session.parts.ledger,
    };
    session.parts.operations.learn(stored);
    if (stored.length === 0 && mode === 'auto' && session.parts.repository === undefined)
      return finishClean(session);
    const site = restoreSite(session, checkpoints);
    if (waitsForAnotherRoot(site)) {
      if (!isGivenUp) return waitForRoot(session);
      setAside(session.parts);
    }
    for (const warning of joinLog(session, stored, checkpoints.index.head, recoverConversation))
      context.warn(warning);
    session.parts.ledger.reports.beginAt(checkpoints.index.head?.record.id);
    session.enable(checkpoints);
    // Writes the file before the base is published, because a step after the publication must not fail. As long as
    // there are no checkpoints, the file has no effect.
    writeAtomically(session.parts.directory.enabledFile, '');
    await withinTimeout(session, context, async (limited) => {
      reopenUnpublished(site);
      const ignoredBy = await checkpoints.capture.ignoredBy();
      if (ignoredBy !== undefined) context.warn(isIgnoredText(ignoredBy));
      await recover(site, limited);
      await recoverAnswered(site, limited);
      await unprotectAllMerged(site, limited);
      await session.parts.late.checkNow(() => store);
      if (checkpoints.index.head === undefined) await createBase(session, checkpoints, limited);
    });
  } catch (error) {
    session.disable('NotRequested');
    throw error;
  } finally {
    if (session.enabled === undefined) {
      await capture?.close();
      await store.close();
    }
  }
}

/**
 * Opens the store. If the store is unreachable or completely damaged, disables checkpoints but throws no error, so that
 * the conversation stays available.
 */
async function storeOrDamage(session: Session, mode: InitMode): Promise<OpenedStore | undefined> {
  try {
    return await openStore(session, mode === 'force');
  } catch (error) {
    const isUnusable = error instanceof UnusableRepository;
    if (!(error instanceof CheckpointdError) || !(isUnusable || error.kind === 'StoreCorrupt')) throw error;
    session.hasUnfinishedRestore = files.existsSync(session.parts.directory.intentFile);
    session.disable(isUnusable ? 'RepositoryUnusable' : 'StoreCorrupt', error);
    session.parts.log.error(error.message);
    return undefined;
  }
}

/** Warns of damaged checkpoints, because checkpoint lists do not show them. */
function warnOfDamage({ parts }: Session, store: SnapshotStore): void {
  for (const { what, affects } of store.damaged().slice(0, 10)) {
    const whose = affects.length === 0 || affects[0] === what ? '' : ` (checkpoint ${affects.join(', ')})`;
    parts.log.warn(
      `The checkpoint store is damaged at ${what}${whose}. Use store/verify to see what is lost.`,
    );
  }
}

/**
 * Finishes an interrupted checkpoint/clean. Called for a session that is outside a repository, had checkpoints, and has
 * none now.
 */
function finishClean(session: Session): void {
  files.rmSync(session.parts.directory.enabledFile, { force: true });
  session.disable('NotARepository');
}

/**
 * Disables checkpoints until the client decides, because a restore was interrupted and another directory is
 * now at the work tree's path. Changes no file.
 */
function waitForRoot(session: Session): void {
  session.hasUnfinishedRestore = true;
  session.disable('OtherWorkTree');
  session.parts.log.warn(remedies.OtherWorkTree);
}

/** Makes the checkpoint with tag "0". The checkpoint's commit message is the same as in Q CLI. */
export async function createBase(
  session: Session,
  checkpoints: Checkpoints,
  context: OperationContext,
): Promise<void> {
  const capture = await capturePresent(checkpoints, context);
  if (
    capture.root.entries.size === 0 &&
    files.readdirSync(session.parts.workTree.root).some((name) => !isGitName(name))
  )
    context.warn(emptyBaseText);
  const checkpoint = await publish(
    checkpoints,
    {
      ...presentFacts(session.parts),
      id: newCheckpointId(),
      seq: checkpoints.index.nextSeq,
      timestamp: timestamp(),
      kind: 'turn',
      madeAs: baseTag,
      description: 'Initial state',
      message: '',
      snapshot: capture.snapshot,
      currentTurn: 0,
      toolsInTurn: 0,
      skipped: capture.skipped,
      ...context.stamp,
    },
    baseTag,
  );
  await afterCommit(
    context,
    'The first checkpoint was made, but the daemon could not record who wrote which file',
    () => recordCheckpoint(session, undefined, checkpoint),
  );
  await session.parts.events.created(session, checkpoint, { ms: Math.round(capture.ms) }, context.client);
}

function isIgnoredText(repository: string): string {
  return `The repository ${repository} ignores this whole directory, so the daemon does not use the ignore rules of that repository. Only your own rules and the rules in the directory apply.`;
}

const emptyBaseText =
  'The base holds no file, although the directory is not empty: all its files are ignored, excluded or unreadable. Check .gitignore files, `skipped` and the exclude globs, or use include globs.';

const warnAfterMs = 5_000;

/**
 * Runs work with a time limit. Warns after five seconds, and cancels the work at the limit (R26). The client
 * can cancel at any time.
 */
async function withinTimeout<T>(
  session: Session,
  context: OperationContext,
  work: (limited: OperationContext) => Promise<T>,
): Promise<T> {
  const { log, options } = session.parts;
  const { initTimeoutMs } = options.limits;
  const limit = new AbortController();
  const warn = setTimeout(() => log.warn(slowOpening), warnAfterMs);
  const stop = setTimeout(() => limit.abort(timedOut(initTimeoutMs)), initTimeoutMs);
  try {
    const signal = AbortSignal.any([context.signal, limit.signal]);
    return await work({ ...context, signal });
  } finally {
    clearTimeout(warn);
    clearTimeout(stop);
  }
}

const slowOpening =
  'Opening takes long, because the work tree is large. The first capture is faster if you ignore build output and data.';

function timedOut(limitMs: number): CheckpointdError {
  return new CheckpointdError(
    'CaptureTimedOut',
    `The first capture did not end within ${limitMs} ms. Raise limits.initTimeoutMs, ignore large directories, or open a sub-directory.`,
    {
      details: { initTimeoutMs: limitMs },
      retryable: true,
    },
  );
}
