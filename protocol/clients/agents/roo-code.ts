// Roo Code's `ShadowCheckpointService` over checkpointd, with the public methods and events of the original (v3.26,
// src/services/checkpoints). A task of Roo Code can use this class instead of the original. These differences are on
// purpose: a nested repository does not turn checkpoints off. A diff writes nothing into the store. A restore first
// saves the files that it displaces. After a restart, the task still has its first base and all its checkpoints.
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { TaskSession } from './task-session.ts';

export interface CheckpointResult {
  readonly commit: string;
}

export interface CheckpointDiff {
  readonly paths: { readonly relative: string; readonly absolute: string };
  readonly content: { readonly before: string; readonly after: string };
}

export interface CheckpointServiceOptions {
  readonly taskId: string;
  readonly workspaceDir: string;
  /** The extension's global storage. */
  readonly shadowDir: string;
  readonly log?: (message: string) => void;
}

export interface CheckpointEventMap {
  initialize: {
    type: 'initialize';
    workspaceDir: string;
    baseHash: string;
    created: boolean;
    duration: number;
  };
  checkpoint: {
    type: 'checkpoint';
    fromHash: string;
    toHash: string;
    duration: number;
    suppressMessage?: boolean;
  };
  restore: { type: 'restore'; commitHash: string; duration: number };
  error: { type: 'error'; error: Error };
}

export class ShadowCheckpointService extends EventEmitter {
  readonly taskId: string;
  readonly checkpointsDir: string;
  readonly workspaceDir: string;
  readonly #log: (message: string) => void;
  #task: TaskSession | undefined;
  #baseHash: string | undefined;
  #checkpoints: string[] = [];

  constructor(
    taskId: string,
    checkpointsDir: string,
    workspaceDir: string,
    log: (message: string) => void = () => undefined,
  ) {
    super();
    this.taskId = taskId;
    this.checkpointsDir = checkpointsDir;
    this.workspaceDir = workspaceDir;
    this.#log = log;
  }

  /** Does the same as `RepoPerTaskCheckpointService.create`. */
  static create({ taskId, workspaceDir, shadowDir, log }: CheckpointServiceOptions): ShadowCheckpointService {
    return new ShadowCheckpointService(taskId, directoryOf(shadowDir, taskId), workspaceDir, log);
  }

  static async deleteTask(task: {
    taskId: string;
    globalStorageDir: string;
    workspaceDir: string;
  }): Promise<void> {
    await TaskSession.delete(task.taskId, directoryOf(task.globalStorageDir, task.taskId));
  }

  get baseHash(): string | undefined {
    return this.#baseHash;
  }

  get isInitialized(): boolean {
    return this.#task !== undefined;
  }

  getCheckpoints(): string[] {
    return this.#checkpoints.slice();
  }

  /** @throws CheckpointdRequestError, such as `ProtectedWorkTree` for the home directory */
  async initShadowGit(onInit?: () => Promise<void>): Promise<{ created: boolean; duration: number }> {
    if (this.#task !== undefined) throw new Error('Shadow git repo already initialized');
    const startedMs = Date.now();
    const task = await TaskSession.open(this.taskId, this.checkpointsDir, this.workspaceDir);
    const [baseHash = '', ...checkpoints] = await task.checkpoints();
    this.#task = task;
    this.#baseHash = baseHash;
    this.#checkpoints = checkpoints;
    const created = !task.isResumed;
    const duration = Date.now() - startedMs;
    this.#log(`initialized with base ${baseHash} in ${duration}ms`);
    await onInit?.();
    const { workspaceDir } = this;
    this.emit('initialize', { type: 'initialize', workspaceDir, baseHash, created, duration });
    return { created, duration };
  }

  saveCheckpoint(
    message: string,
    options: { allowEmpty?: boolean; suppressMessage?: boolean } = {},
  ): Promise<CheckpointResult | undefined> {
    return this.#told(async (task) => {
      const startedMs = Date.now();
      const fromHash = this.#checkpoints.at(-1) ?? this.#baseHash ?? '';
      const commit = await task.create(message, options.allowEmpty === true);
      this.#checkpoints.push(commit ?? fromHash);
      if (commit === undefined) return undefined;
      const duration = Date.now() - startedMs;
      const suppressMessage = options.suppressMessage ?? false;
      this.emit('checkpoint', { type: 'checkpoint', fromHash, toHash: commit, duration, suppressMessage });
      return { commit };
    });
  }

  restoreCheckpoint(commitHash: string): Promise<void> {
    return this.#told(async (task) => {
      const startedMs = Date.now();
      await task.restore(commitHash);
      const index = this.#checkpoints.indexOf(commitHash);
      if (index !== -1) this.#checkpoints = this.#checkpoints.slice(0, index + 1);
      this.emit('restore', { type: 'restore', commitHash, duration: Date.now() - startedMs });
    });
  }

  async getDiff({ from, to }: { from?: string; to?: string }): Promise<CheckpointDiff[]> {
    const changed = await this.#opened().changed(from, to);
    return changed.map(({ relative, absolute, before, after }) => ({
      paths: { relative, absolute },
      content: { before, after },
    }));
  }

  /** Ends the daemon. The original has no such method. The next `initShadowGit` resumes the session. */
  async dispose(): Promise<void> {
    const task = this.#task;
    this.#task = undefined;
    await task?.close();
  }

  override emit<K extends keyof CheckpointEventMap>(event: K, data: CheckpointEventMap[K]): boolean {
    return super.emit(event, data);
  }

  override on<K extends keyof CheckpointEventMap>(
    event: K,
    listener: (data: CheckpointEventMap[K]) => void,
  ): this {
    return super.on(event, listener);
  }

  override off<K extends keyof CheckpointEventMap>(
    event: K,
    listener: (data: CheckpointEventMap[K]) => void,
  ): this {
    return super.off(event, listener);
  }

  override once<K extends keyof CheckpointEventMap>(
    event: K,
    listener: (data: CheckpointEventMap[K]) => void,
  ): this {
    return super.once(event, listener);
  }

  #opened(): TaskSession {
    if (this.#task === undefined) throw new Error('Shadow git repo not initialized');
    return this.#task;
  }

  /** Throws a failure, and emits it to listeners. */
  async #told<T>(act: (task: TaskSession) => Promise<T>): Promise<T> {
    try {
      return await act(this.#opened());
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.#log(error.message);
      if (this.listenerCount('error') > 0) this.emit('error', { type: 'error', error });
      throw error;
    }
  }
}

function directoryOf(shadowDir: string, taskId: string): string {
  return join(shadowDir, 'tasks', taskId, 'checkpoints');
}
