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
import type { RestoreSite } from '../restore/restore-site.ts';
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

/** The reason why checkpoints stay disabled. `because` is the specific cause, if there is one. */
interface Disabled {
  readonly reason: DisabledReason;
  readonly because?: CheckpointdError | undefined;
}

/**
 * Enables checkpoints. If checkpoints must not or cannot be enabled, the session records the reason instead.
 * @throws StrategyUnavailable, the store's own errors, CaptureTimedOut after `limits.initTimeoutMs`, AbortError. After
 * such an error checkpoints stay disabled, and the client can try again.
 */
export async function enableCheckpoints(
  session: Session,
  mode: InitMode,
  context: OperationContext,
  recoverConversation = false,
): Promise<void> {
  const disabled =
    (await obstacleTo(session, mode)) ?? (await enable(session, mode, context, recoverConversation));
  if (disabled === undefined) return;
  // Without checkpoints, an unfinished restore can be neither finished nor undone. With this flag, the session refuses
  // changes.
  session.hasUnfinishedRestore = files.existsSync(session.parts.directory.intentFile);
  session.disable(disabled.reason, disabled.because);
}

/** Returns the reason why the session must not enable checkpoints now. */
async function obstacleTo({ parts }: Session, mode: InitMode): Promise<Disabled | undefined> {
  const { options, repository, directory, workTree } = parts;
  if (!options.features.checkpoints) return { reason: 'FeatureOff' };
  if (mode === 'never') return { reason: 'NotRequested' };
  try {
    await checkGit();
  } catch (error) {
    if (isKind('GitMissing', 'GitTooOld')(error)) return { reason: error.kind };
    throw error;
  }
  // If a user enabled checkpoints by hand, the session has checkpoints, and perhaps an unfinished restore. Therefore a
  // resumed session enables checkpoints again.
  if (mode === 'auto' && repository === undefined && !files.existsSync(directory.enabledFile))
    return { reason: 'NotARepository', because: unusableAround(workTree.root) };
  return undefined;
}

async function enable(
  session: Session,
  mode: InitMode,
  context: OperationContext,
  recoverConversation: boolean,
): Promise<Disabled | undefined> {
  const { parts } = session;
  const opened = await storeOrDamage(session, mode);
  if ('reason' in opened) return opened;
  const { store, stored } = opened;
  let capture: Capturer | undefined;
  try {
    capture = openCapturer(session, store);
    warnOfDamage(session, store);
    const checkpoints: Checkpoints = {
      store,
      capture,
      index: new CheckpointIndex(stored, parts.removedParents),
      stats: new StatsCache(),
      ledger: parts.ledger,
    };
    parts.operations.learn(stored);
    if (stored.length === 0 && mode === 'auto' && parts.repository === undefined) {
      files.rmSync(parts.directory.enabledFile, { force: true }); // finishes an interrupted checkpoint/clean
      return { reason: 'NotARepository' };
    }
    const site = restoreSite(session, checkpoints);
    if (waitsForAnotherRoot(site)) {
      // The warning tells the client to decide. If the client then enables checkpoints, it gives up the restore.
      if (session.disabledReason !== 'OtherWorkTree') {
        parts.log.warn(remedies.OtherWorkTree);
        return { reason: 'OtherWorkTree' };
      }
      setAside(parts);
    }
    for (const warning of joinLog(session, stored, checkpoints.index.head, recoverConversation))
      context.warn(warning);
    parts.ledger.reports.beginAt(checkpoints.index.head?.record.id);
    session.enable(checkpoints);
    // Writes the file before the base is published, because a step after the publication must not fail. As long as
    // there are no checkpoints, the file has no effect.
    writeAtomically(parts.directory.enabledFile, '');
    await withinTimeout(session, context, (limited) => recoverAndBegin(session, site, limited));
    return undefined;
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

/** Completes work that a kill left unfinished, and makes the base if there is no checkpoint. */
async function recoverAndBegin(
  session: Session,
  site: RestoreSite,
  context: OperationContext,
): Promise<void> {
  const { checkpoints } = site;
  reopenUnpublished(site);
  const ignoredBy = await checkpoints.capture.ignoredBy();
  if (ignoredBy !== undefined) context.warn(isIgnoredText(ignoredBy));
  await recover(site, context);
  await recoverAnswered(site, context);
  await unprotectAllMerged(site, context);
  await session.parts.late.checkNow(() => checkpoints.store);
  if (checkpoints.index.head === undefined) await createBase(session, checkpoints, context);
}

/**
 * Opens the store. If the store is unreachable or completely damaged, checkpoints are disabled without an error, so that
 * the conversation stays available.
 */
async function storeOrDamage(session: Session, mode: InitMode): Promise<OpenedStore | Disabled> {
  try {
    return await openStore(session, mode === 'force');
  } catch (error) {
    const isUnusable = error instanceof UnusableRepository;
    if (!isUnusable && !isKind('StoreCorrupt')(error)) throw error;
    session.parts.log.error(error.message);
    return { reason: isUnusable ? 'RepositoryUnusable' : 'StoreCorrupt', because: error };
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
