// Cline's `CheckpointTracker` over checkpointd, with the public methods of the original (src/integrations/checkpoints).
// The caller gives the workspace, for which the original asks VS Code. Two differences are on purpose: files that were
// never committed are restored and deleted like all others, and a reset first saves the files that it displaces.
import { join } from 'node:path';
import { TaskSession } from './task-session.ts';

export interface DiffEntry {
  readonly relativePath: string;
  readonly absolutePath: string;
  readonly before: string;
  readonly after: string;
}

export default class CheckpointTracker {
  readonly #taskId: string;
  readonly #workspace: string;
  readonly #task: TaskSession;

  private constructor(taskId: string, workspace: string, task: TaskSession) {
    this.#taskId = taskId;
    this.#workspace = workspace;
    this.#task = task;
  }

  /** Returns undefined when the user has turned checkpoints off. */
  static async create(
    taskId: string,
    globalStoragePath: string | undefined,
    workspace: string,
    isEnabled = true,
  ): Promise<CheckpointTracker | undefined> {
    if (globalStoragePath === undefined || globalStoragePath === '')
      throw new Error('Global storage path is required to create a checkpoint tracker');
    if (!isEnabled) return undefined;
    const task = await TaskSession.open(taskId, join(globalStoragePath, 'checkpoints'), workspace);
    return new CheckpointTracker(taskId, workspace, task);
  }

  /** Makes a checkpoint, even if nothing changed. The original does the same. */
  async commit(): Promise<string | undefined> {
    try {
      return await this.#task.create(`checkpoint of task ${this.#taskId}`, true);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`Failed to create checkpoint: ${why}`, { cause });
    }
  }

  getShadowGitConfigWorkTree(): Promise<string | undefined> {
    return Promise.resolve(this.#workspace);
  }

  resetHead(commitHash: string): Promise<void> {
    return this.#task.restore(withoutHead(commitHash));
  }

  /** Returns the changes since `lhsHash`. Without `rhsHash`, compares with the present work tree. */
  async getDiffSet(lhsHash: string, rhsHash?: string): Promise<DiffEntry[]> {
    const to = rhsHash === undefined ? undefined : withoutHead(rhsHash);
    const changed = await this.#task.changed(withoutHead(lhsHash), to);
    return changed.map(({ relative, absolute, before, after }) => ({
      relativePath: relative,
      absolutePath: absolute,
      before,
      after,
    }));
  }

  async getDiffCount(lhsHash: string, rhsHash?: string): Promise<number> {
    return (await this.getDiffSet(lhsHash, rhsHash)).length;
  }

  /** Ends the daemon. The original has no such method. */
  async dispose(): Promise<void> {
    await this.#task.close();
  }
}

/** Removes the word `HEAD`, which old versions stored in front of the hash. */
function withoutHead(hash: string): string {
  return hash.replace(/^HEAD\s+/, '');
}
