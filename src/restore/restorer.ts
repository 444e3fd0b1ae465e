// Makes the work tree match a plan. Verifies the old files, writes the new contents under temporary names (staging),
// then puts one file after another in place. This module neither plans nor captures, and makes no decisions. The caller
// writes the intent before calling this module, and makes a checkpoint afterwards. After a crash at any point, each
// path has a complete file: either the old file or the new file. The function sweepTemporaries removes the temporary
// files that are left. A new plan and a second run then complete the restore.
import { CheckpointdError } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import type { Contents } from '../store/snapshot-store.ts';
import { byBytes, join, type TreePath } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { Commit, type CommitOutcome } from './commit.ts';
import { DisplacedFiles } from './displaced.ts';
import { leftBehind, pathReason, stopped, unfinished } from './failure.ts';
import { type ReturnedEdit, returnEdits } from './late-look.ts';
import { type StagedMove, type StagedMoves, stageMoves, stepsOf } from './move-staging.ts';
import { Mover } from './mover.ts';
import { Access, PermissionSetter } from './permission-setter.ts';
import type { Failure, RestorePlan } from './plan.ts';
import { requireContents } from './preflight.ts';
import type { KnownContent } from './present-state.ts';
import { type NotDone, type StagedDelete, Staging } from './staging.ts';
import { clearTemporaries, Temporaries } from './temporaries.ts';

export interface RestoreOptions {
  /** The absolute path of the work tree, with links resolved. */
  readonly root: string;
  /** A check that throws when the directory at the root is not the work tree. Called before the first write. */
  readonly requireRoot?: () => void;
  readonly plan: RestorePlan;
  /** The id of the restore in the journal. The id has 20 characters, which are part of every temporary name. */
  readonly id: string;
  readonly contents: Contents;
  /** Returns the content that the capture before the restore found at a path. */
  readonly known?: (path: TreePath) => KnownContent | undefined;
  /**
   * A signal that cancels the restore. A cancel has no effect after the first visible change: the restore then runs to
   * its end.
   */
  readonly signal?: AbortSignal;
  /**
   * Reports the progress. Each step counts twice: once when its content is staged, and once when the content is in
   * place.
   */
  readonly onProgress?: (progress: {
    readonly done: number;
    readonly total: number;
    /** True until the first visible change. */
    readonly cancellable: boolean;
  }) => void;
  /**
   * True when the result must survive a power cut. The restorer then syncs each file before the file gets its
   * name, and each directory at the end.
   */
  readonly durable?: boolean;
  /**
   * The directory outside the work tree to which the restore moves replaced and removed files. The restore creates this
   * directory, if it is on the same disk. `checkDisplaced` of late-look.ts removes the directory later. When absent,
   * the restore removes replaced files at once.
   */
  readonly displacedTo?: string;
}

/** The result of a restore. All lists of paths are in bytewise order. */
export interface AppliedPlan {
  /** The paths that were written, or whose permission bits were changed. */
  readonly restored: readonly TreePath[];
  /** The removed files, including the files of a directory that a file replaced. */
  readonly deleted: readonly TreePath[];
  /** The paths that were not restored, because the plan refused them or because they failed during the run. */
  readonly failed: readonly Failure[];
  /**
   * The paths that another program changed between the capture and the restore. The restore did not change
   * these paths.
   */
  readonly conflicts: readonly TreePath[];
  /** The paths that got only the owner's permission bits, because an access list turns the group bits into a mask. */
  readonly ownerOnly: readonly TreePath[];
  /**
   * Replaced files that a program edited during the restore. A program also edited the new file at the path, so the
   * replaced file is kept beside the path.
   */
  readonly keptBeside: readonly ReturnedEdit[];
  /** The temporary files that could not be removed. The journal must stay until a sweep has removed these files. */
  readonly leftover: readonly TreePath[];
}

/**
 * Applies a plan. After a failure about one path, reports it and continues with the rest.
 *
 * @throws NoSpace, DataCorrupt, AbortError before any visible change; RestoreFailed, with `effects` none or
 * unknown, when an I/O error or a full disk stopped the restore; WorkTreeMissing when the root was moved or
 * replaced.
 */
export async function applyRestore(options: RestoreOptions): Promise<AppliedPlan> {
  const tree = pin(options.root);
  try {
    options.requireRoot?.();
  } catch (error) {
    tree.close();
    throw stopped(error, undefined, 0);
  }
  const restorer = new Restorer(tree, options);
  try {
    return await restorer.run();
  } finally {
    restorer.close();
  }
}

function pin(root: string): AnchoredFiles {
  try {
    return new AnchoredFiles(root);
  } catch (error) {
    throw stopped(error, undefined, 0);
  }
}

class Restorer {
  readonly #tree: AnchoredFiles;
  readonly #options: RestoreOptions;
  readonly #temporaries: Temporaries;
  readonly #notDone: NotDone = { failed: [], conflicts: [] };
  readonly #restored: TreePath[] = [];
  readonly #deleted: TreePath[] = [];
  /** The directories in which names were added or removed, apart from the temporary names of staging. */
  readonly #touched = new Set<TreePath>();
  readonly #umask = process.umask();
  readonly #access: Access;
  readonly #permissions: PermissionSetter;
  readonly #slices = new Slices();
  readonly #keptBeside: ReturnedEdit[] = [];
  readonly #total: number;
  #committed: Commit | undefined;
  #done = 0;
  #at: TreePath | undefined;

  constructor(tree: AnchoredFiles, options: RestoreOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#temporaries = new Temporaries(options.id);
    this.#access = new Access(tree);
    this.#permissions = new PermissionSetter(tree, options.plan, this.#umask, this.#access);
    const { writes, deletes, permissionChanges } = this.#options.plan;
    this.#total = 2 * (writes.length + deletes.length) + permissionChanges.length;
  }

  async run(): Promise<AppliedPlan> {
    const { plan, durable = false, signal, contents, known } = this.#options;
    const staging = new Staging(
      {
        tree: this.#tree,
        contents,
        known,
        temporaries: this.#temporaries,
        umask: this.#umask,
        access: this.#access,
        durable,
        signal,
        onStaged: () => this.#progress(),
      },
      this.#notDone,
    );
    const { root, id } = this.#options;
    const clearing = { tree: this.#tree, root, id, temporaries: this.#temporaries };
    try {
      const moves = await this.#stageMoves();
      await staging.run(moves.rest, await requireContents(this.#tree, moves.rest, contents));
      await this.#permissions.ask();
      signal?.throwIfAborted();
      this.#tree.forget('' as TreePath);
      this.#tree.assertInPlace();
      await this.#commit(staging, moves);
    } catch (error) {
      const { left } = await clearTemporaries(clearing, this.#committed);
      // Tries again, because a file system sometimes refuses a removal for just a moment. If a temporary file remains,
      // this counts as a change, so the journal must stay.
      const stays = left.length > 0 ? (await clearTemporaries(clearing, this.#committed)).left : left;
      const failure = stopped(error, this.#at ?? staging.at, this.#visibleChanges());
      throw stays.length > 0 ? leftBehind(failure, stays) : failure;
    }
    const { left: leftover, kept } = await clearTemporaries(clearing, this.#committed);
    this.#assertStillInPlace();
    return {
      restored: this.#restored.sort(byBytes),
      deleted: this.#deleted.sort(byBytes),
      failed: [...plan.failed, ...this.#notDone.failed, ...kept].sort((a, b) => byBytes(a.path, b.path)),
      conflicts: this.#notDone.conflicts.sort(byBytes),
      ownerOnly: [...this.#access.ownerOnly].sort(byBytes),
      keptBeside: this.#keptBeside,
      leftover,
    };
  }

  close(): void {
    try {
      this.#tree.close();
    } catch (error) {
      throw stopped(error, undefined, this.#visibleChanges());
    }
  }

  async #stageMoves(): Promise<StagedMoves> {
    const { plan, durable = false, signal, contents, known } = this.#options;
    if (plan.moves.length === 0) return { directories: [], files: [], rest: plan };
    return stageMoves(
      {
        tree: this.#tree,
        contents,
        umask: this.#umask,
        access: this.#access,
        durable,
        known,
        signal,
        onStaged: () => this.#progress(),
      },
      plan,
      this.#notDone,
    );
  }

  async #commit(staging: Staging, moves: StagedMoves): Promise<void> {
    const { plan } = this.#options;
    const strict = plan.permissionChanges.filter(
      (each) => each.kind === 'directory' && each.permissions !== undefined,
    );
    const strictPaths = new Set(strict.map(({ path }) => path));
    const { displacedTo, root } = this.#options;
    const displaced = DisplacedFiles.begin(displacedTo, root, staging);
    const commit = new Commit(this.#tree, this.#temporaries, strictPaths, this.#touched, displaced);
    this.#committed = commit;
    this.#permissions.unlock();
    for (const each of staging.deletes.splice(0)) await this.#delete(commit, each);
    await this.#stageAgain(staging, await this.#move(commit, moves));
    for (const each of staging.deletes) await this.#delete(commit, each);
    for (const each of staging.writes) {
      await this.#each(
        each.path,
        () => commit.write(each),
        () => {
          this.#restored.push(each.path);
          this.#deleted.push(...(each.displaces?.keys() ?? []));
        },
      );
    }
    commit.removeEmptied(plan.directories);
    for (const each of plan.permissionChanges) {
      await this.#each(
        each.path,
        () => this.#permissions.set(each),
        () => {
          if (each.kind === 'file') this.#restored.push(each.path);
        },
      );
    }
    if (this.#options.durable) await this.#syncDirectories();
  }

  #delete(commit: Commit, each: StagedDelete): Promise<void> {
    return this.#each(
      each.path,
      () => commit.delete(each),
      () => this.#deleted.push(each.path),
    );
  }

  /** Moves files. Returns the moves that were not possible. */
  async #move(commit: Commit, { directories, files: single }: StagedMoves): Promise<StagedMove[]> {
    if (directories.length + single.length === 0) return [];
    const mover = new Mover(this.#tree, commit, this.#slices);
    const singles: StagedMove[] = [];
    const left: StagedMove[] = [];
    for (const directory of directories) {
      this.#at = directory.to;
      const moved = await mover.directory(directory);
      if (moved === undefined) singles.push(...directory.files);
      else {
        for (const each of directory.files) {
          if (!moved.has(each)) left.push(each);
          else this.#recordMoved(each);
        }
      }
    }
    for (const each of [...singles, ...single]) {
      this.#at = each.to;
      if (this.#slices.isDue()) await this.#slices.pause();
      if (!mover.file(each)) left.push(each);
      else {
        this.#restored.push(each.to);
        this.#progress();
        await this.#delete(commit, { path: each.from, signature: each.signature });
        mover.renew(each.to);
      }
    }
    return left;
  }

  #recordMoved({ from, to }: StagedMove): void {
    this.#restored.push(to);
    this.#deleted.push(from);
    this.#progress();
    this.#progress();
  }

  /**
   * If a move was not possible, stages a deletion and a write in place of the move. At this point the restore may
   * have changed the work tree.
   */
  async #stageAgain(staging: Staging, left: readonly StagedMove[]): Promise<void> {
    if (left.length === 0) return;
    const { plan, contents } = this.#options;
    const steps = await stepsOf(left, plan, contents, this.#notDone);
    try {
      await staging.run(steps, await requireContents(this.#tree, steps, contents));
    } catch (error) {
      throw error instanceof CheckpointdError && this.#visibleChanges() > 0 ? unfinished(error) : error;
    }
  }

  /**
   * Runs one visible step. If the step is blocked, tries once more with new directory handles, because a
   * handle may be outdated.
   */
  async #each(path: TreePath, step: () => CommitOutcome, done: () => void): Promise<void> {
    this.#at = path;
    if (this.#slices.isDue()) await this.#slices.pause();
    const attempt = (): CommitOutcome | undefined => {
      try {
        return step();
      } catch (error) {
        if (pathReason(error) === 'blocked') return undefined;
        throw error;
      }
    };
    try {
      let outcome = attempt();
      if (outcome === undefined) {
        this.#tree.forget('' as TreePath);
        outcome = step();
      }
      if (outcome === 'done') done();
      else this.#notDone.conflicts.push(path);
      await this.#returnEdits();
    } catch (error) {
      const reason = pathReason(error);
      if (reason === undefined) throw error;
      this.#notDone.failed.push({ path, reason });
    }
    this.#progress();
  }

  /** Moves a file back to its path if another program wrote to the file while the restore replaced it. */
  async #returnEdits(): Promise<void> {
    const parts = {
      tree: this.#tree,
      temporaries: this.#temporaries,
      contents: this.#options.contents,
      slices: this.#slices,
      touched: this.#touched,
    };
    this.#keptBeside.push(...(await returnEdits(parts, this.#committed?.edited ?? [])));
  }

  async #syncDirectories(): Promise<void> {
    for (const directory of this.#touched) {
      if (directory !== '' && !this.#tree.isDirectory(directory)) continue;
      const fd = files.openSync(this.#tree.address(join(directory, '.')), constants.O_RDONLY);
      try {
        await filesAsync.fsync(fd);
      } finally {
        files.closeSync(fd);
      }
    }
  }

  #assertStillInPlace(): void {
    try {
      this.#tree.assertInPlace();
    } catch (error) {
      if (!(error instanceof CheckpointdError)) throw stopped(error, undefined, this.#visibleChanges());
      throw new CheckpointdError(error.kind, error.message, {
        details: { ...error.details },
        cause: error,
        effects: this.#visibleChanges() === 0 ? 'none' : 'unknown',
      });
    }
  }

  /** Returns the number of visible changes so far. Includes the changes of a step that failed half-way. */
  #visibleChanges(): number {
    return this.#touched.size + this.#restored.length + this.#deleted.length;
  }

  #progress(): void {
    this.#done += 1;
    const done = Math.min(this.#done, this.#total);
    this.#options.onProgress?.({ done, total: this.#total, cancellable: this.#committed === undefined });
  }
}
