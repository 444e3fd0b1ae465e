// A session is one conversation on one work tree in one store. The class contains the parts of the session. The other
// files of this folder, and those of commands/, operate on sessions. Every change of a session goes through the
// session's queue.
import { timestamp } from '../base/clock.ts';
import { CheckpointdError } from '../base/errors.ts';
import type { SessionId, SnapshotId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { Turns } from '../base/turns.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { RemovalLimits } from '../checkpoints/expendable.ts';
import type { Ledger } from '../checkpoints/ledger.ts';
import type { RemovedParents } from '../checkpoints/removed-parents.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { SessionLog } from '../conversation/log/session-log.ts';
import { findRepository, type Repository } from '../git/repository/git-dir.ts';
import type { Line } from '../remote/line-reader.ts';
import { AnsweredRestores } from '../restore/answered-restores.ts';
import { LateEdits } from '../restore/late-look.ts';
import type { RestoreOutcome } from '../restore/restore-job.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { ChangeBatch, WorkTreeWatcher } from '../watch/watcher.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import { type SessionMarker, SummaryFile } from './description.ts';
import type { SessionDirectory } from './directory.ts';
import { OperationQueue } from './operation-queue.ts';
import type { OperationRecords } from './operations.ts';
import type { SessionOwner } from './owner.ts';

/** The reason why the checkpoints of a session are disabled. `Cleaned` is the state after checkpoint/clean. */
export type DisabledReason =
  | 'NotARepository'
  | 'GitMissing'
  | 'GitTooOld'
  | 'NotRequested'
  | 'FeatureOff'
  | 'Cleaned'
  | 'OtherWorkTree'
  | 'RepositoryUnusable'
  | 'StoreCorrupt';

export interface SessionLimits extends RemovalLimits {
  /** The size limit of a file. A capture leaves out a larger file and lists the file as skipped. */
  readonly maxFileBytes: number;
  /** The time limit in ms for enabling checkpoints, including the first capture. */
  readonly initTimeoutMs: number;
  readonly maxStoreBytes?: number | undefined;
}

/** The features of a session. The client that opens the session can disable each feature. */
export interface SessionFeatures {
  readonly checkpoints: boolean;
  readonly tangent: boolean;
}

export interface SessionOptions {
  readonly storage: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly durability: 'process' | 'power';
  readonly limits: SessionLimits;
  readonly features: SessionFeatures;
}

/** The parts with which a session begins. */
interface GivenParts {
  readonly marker: SessionMarker;
  readonly directory: SessionDirectory;
  readonly owner: Pick<SessionOwner, 'isOwner' | 'requireOwner' | 'release'>;
  readonly workTree: WorkTree;
  readonly options: SessionOptions;
  readonly sessionLog: SessionLog;
  readonly conversation: Conversation;
  readonly operations: OperationRecords;
  readonly ledger: Ledger;
  readonly removedParents: RemovedParents;
  readonly events: SessionEvents;
  /** Returns the other sessions of this daemon on the same work tree. */
  readonly neighbours: (of: Session) => readonly Session[];
  /** Called when an internal check has failed. The process should then end, so that the next start runs a recovery. */
  readonly onPoison: (because: Error) => void;
  readonly log: Log;
}

interface SessionParts extends GivenParts {
  /** The user's repository that contains the work tree, if there is one. */
  readonly repository: Repository | undefined;
  readonly queue: OperationQueue;
  /** Finished restores whose files have perhaps not reached the disk yet. */
  readonly answered: AnsweredRestores;
  /** The files that restores displaced a moment ago. Another program may have written to these files since then. */
  readonly late: LateEdits;
  readonly openedAt: string;
}

/**
 * The events of a session for its listeners. The daemon sends these events as notifications, but a session also works
 * without clients. If an event cannot be delivered, the operation does not fail. Operations wait for events, so that
 * clients get the events before the answer.
 */
export interface SessionEvents {
  opened(
    session: Session,
    facts: { readonly resumed: boolean; readonly ms: number },
    by?: object,
  ): Promise<void>;
  /**
   * Reports a new checkpoint. `from` is the snapshot of the previous head. In every event, `by` is the client
   * that made the request.
   */
  created(
    session: Session,
    checkpoint: StoredCheckpoint,
    facts: { readonly from?: SnapshotId | undefined; readonly ms: number },
    by?: object,
  ): Promise<void>;
  restored(
    session: Session,
    target: StoredCheckpoint,
    facts: {
      readonly outcome: Omit<RestoreOutcome, 'ms' | 'historyLength'>;
      readonly ms: number;
      /** True when a later request finished, undid or repaired the restore. */
      readonly isRecovered?: boolean | undefined;
    },
    by?: object,
  ): Promise<void>;
  failed(session: Session, method: string, error: unknown, by?: object): void;
  workTreeChanged(session: Session, change: ChangeBatch): void;
  /** Reports changes that a capture found, but that were never reported by {@link workTreeChanged}. */
  workTreeDrifted(session: Session, paths: readonly TreePath[]): void;
  conversationChanged(session: Session, method: string, by?: object): void;
  /** Reports that a background push of the session succeeded or failed. */
  pushed(
    session: Session,
    outcome: {
      readonly remote: string;
      readonly pushed: boolean;
      readonly head?: string;
      readonly leftCount?: number;
      readonly error?: CheckpointdError;
    },
  ): void;
  /** Reports that another writer has pushed a line of this session to a remote. */
  lineFound(
    session: Session,
    line: { readonly remote: string; readonly writer: string; readonly head: string },
    by?: object,
  ): void;
}

export class Session {
  readonly id: SessionId;
  readonly parts: SessionParts;
  #checkpoints: Checkpoints | DisabledReason = 'NotRequested';
  #because: CheckpointdError | undefined;
  watcher: WorkTreeWatcher | undefined;
  /** True when a restore is unfinished. The next change first finishes or undoes the restore. */
  hasUnfinishedRestore = false;
  /**
   * The outcome of an interrupted restore that was finished when the session was opened. Only the answer to this
   * opening reports the outcome.
   */
  recovered: RestoreOutcome | undefined;
  /** The stamps of the files from which the context message was last built. */
  contextSignature: string | undefined;
  /** The pushes of the session, which run one at a time and independently of the queue. */
  readonly pushes = new Turns();
  /**
   * A function that is called after each change, with the method's name. Set when the daemon pushes the session after
   * each turn.
   */
  afterChange: ((method: string) => void) | undefined;
  /** The latest known heads of the session's lines on remotes. */
  readonly pushedHeads = new Map<string, Line>();
  /** The lines of other writers. Clients were already notified of each of these lines. */
  readonly knownLines = new Set<string>();
  readonly #summary: SummaryFile;

  constructor(given: GivenParts) {
    const { directory, workTree, options, owner, log } = given;
    this.parts = {
      ...given,
      repository: findRepository(workTree.root),
      queue: new OperationQueue(given.onPoison),
      answered: new AnsweredRestores(directory, workTree.root, options.durability === 'power', log),
      late: new LateEdits(directory, workTree.root, log, owner),
      openedAt: timestamp(),
    };
    this.id = given.marker.session;
    this.#summary = new SummaryFile(directory, log);
  }

  get enabled(): Checkpoints | undefined {
    return typeof this.#checkpoints === 'string' ? undefined : this.#checkpoints;
  }

  get disabledReason(): DisabledReason | undefined {
    return typeof this.#checkpoints === 'string' ? this.#checkpoints : undefined;
  }

  enable(checkpoints: Checkpoints): void {
    this.#checkpoints = checkpoints;
  }

  /**
   * Disables checkpoints. `because` is the specific cause. The client gets this text. When `because` is absent, the
   * client gets the general remedy for the reason.
   */
  disable(reason: DisabledReason, because?: CheckpointdError): void {
    this.#checkpoints = reason;
    this.#because = because;
  }

  /** Updates the summary. If the checkpoints cannot be read, the old summary stays on the disk. */
  writeSummary(): void {
    if (this.enabled !== undefined || this.#checkpoints === 'Cleaned') this.#summary.write(this.enabled);
  }

  /** The explanation of {@link disabledReason} for a client. Undefined when checkpoints are enabled. */
  get disabledMessage(): string | undefined {
    const reason = this.disabledReason;
    return reason === undefined ? undefined : (this.#because?.message ?? remedies[reason]);
  }

  /** True when the client set a limit that makes the daemon remove old checkpoints. */
  get hasLimits(): boolean {
    const { maxCheckpoints, maxStoreBytes } = this.parts.options.limits;
    return maxCheckpoints !== undefined || maxStoreBytes !== undefined;
  }

  /** Returns the checkpoints. @throws CheckpointsDisabled, with the reason and the remedy */
  requireCheckpoints(): Checkpoints {
    if (typeof this.#checkpoints !== 'string') return this.#checkpoints;
    const reason = this.#checkpoints;
    const remedy = this.#because?.message ?? remedies[reason];
    const message = this.hasUnfinishedRestore
      ? `A restore of this session was interrupted, and without checkpoints it can be neither finished nor undone. ${remedy}`
      : remedy;
    throw new CheckpointdError('CheckpointsDisabled', message, {
      details: { ...this.#because?.details, reason },
    });
  }

  /**
   * Refuses a change while a restore is unfinished and checkpoints are disabled. Call this method before a change that
   * needs no checkpoints. @throws CheckpointsDisabled
   */
  requireRecovered(): void {
    if (this.hasUnfinishedRestore) this.requireCheckpoints();
  }
}

/** The remedies for disabled checkpoints, by reason. The client gets these texts unchanged. */
export const remedies: Readonly<Record<DisabledReason, string>> = {
  NotARepository:
    'Checkpoints are not available in this directory: it is not in a git repository. Use checkpoint/init to enable them anyway.',
  GitMissing:
    'Checkpoints are not available: git is required but not installed. Install git 2.30 or later, then use checkpoint/init.',
  GitTooOld:
    'Checkpoints are not available: git 2.30 or later is required. Update git, then use checkpoint/init.',
  StoreCorrupt:
    'The checkpoint store of this session is damaged or gone. Use checkpoint/init to move what is left of the store aside and to make a new store.',
  RepositoryUnusable:
    'The repository that holds the checkpoints of this session cannot be used in its present state. Repair it, then open the session again or use checkpoint/init.',
  NotRequested: 'Checkpoints are not enabled in this session. Use checkpoint/init to enable them.',
  FeatureOff: 'Checkpoint is disabled. Enable it with: q settings chat.enableCheckpoint true',
  Cleaned:
    'The checkpoints of this session were removed by checkpoint/clean. Use checkpoint/init to start again.',
  OtherWorkTree:
    'A restore of this session was interrupted, and another directory is at the path of the work tree now. That directory was not changed. Put the right directory back and open the session again, or use checkpoint/init to abandon the restore.',
};
