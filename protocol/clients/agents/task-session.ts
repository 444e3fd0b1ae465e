// One kept session for a task of the agent, and the contents that changed between two checkpoints. Both adapters use
// this class.
import { CheckpointdClient } from 'checkpointd/client';

export interface ChangedFile {
  readonly relative: string;
  readonly absolute: string;
  /** The old content. Empty if the file did not exist or is binary. */
  readonly before: string;
  readonly after: string;
}

export class TaskSession {
  private constructor(
    readonly client: CheckpointdClient,
    readonly session: string,
    /** True when the task had checkpoints before. */
    readonly isResumed: boolean,
  ) {}

  /** Starts a daemon, and opens the session of the task. If the task has a session, resumes this session. */
  static async open(taskId: string, storage: string, workspace: string): Promise<TaskSession> {
    const client = await CheckpointdClient.start({ args: [`--storage-dir=${storage}`] });
    try {
      const { session, resumed } = await client.request('session/open', {
        workspace,
        conversationId: taskId,
        retention: 'keep',
        init: 'force',
      });
      return new TaskSession(client, session, resumed);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** Deletes the session of a task. Returns false when the task has no session. */
  static async delete(taskId: string, storage: string): Promise<boolean> {
    const client = await CheckpointdClient.start({ args: [`--storage-dir=${storage}`] });
    try {
      let cursor: string | undefined;
      do {
        const page = await client.request('session/list', cursor === undefined ? {} : { cursor });
        const found = page.sessions.find(({ conversationId }) => conversationId === taskId);
        if (found !== undefined) {
          await client.request('session/delete', { session: found.session });
          return true;
        }
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return false;
    } finally {
      await client.close();
    }
  }

  /** Makes a checkpoint. If nothing changed and `isWantedEmpty` is false, makes no checkpoint and returns undefined. */
  async create(message: string, isWantedEmpty: boolean): Promise<string | undefined> {
    const { client, session } = this;
    const made = await client.request('checkpoint/create', {
      session,
      kind: 'turn',
      message,
      onlyIfChanged: !isWantedEmpty,
    });
    return made.created ? made.checkpoint.id : undefined;
  }

  /** Restores the files of a checkpoint. The daemon first saves all files that the restore displaces. */
  async restore(checkpoint: string): Promise<void> {
    const { client, session } = this;
    const params = { session, tag: checkpoint, mode: 'hard', scope: 'files', confirm: true } as const;
    const { failed } = await client.request('checkpoint/restore', params);
    if (failed.length > 0) throw new Error(`Not restored: ${failed.map(({ path }) => path).join(', ')}`);
  }

  /** Returns the checkpoints of the task, the base first. */
  async checkpoints(): Promise<string[]> {
    const { client, session } = this;
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request('checkpoint/list', {
        session,
        ...(cursor === undefined ? {} : { cursor }),
      });
      all.push(...page.checkpoints.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  /** Returns the changes between two checkpoints. Default: from the base to the present work tree. */
  async changed(from?: string, to?: string): Promise<ChangedFile[]> {
    const { client, session } = this;
    const { files } = await client.request('checkpoint/diff', {
      session,
      format: 'contents',
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    });
    return files.map(({ path, absolutePath, before = '', after = '' }) => ({
      relative: path,
      absolute: absolutePath,
      before,
      after,
    }));
  }

  close(): Promise<number | null> {
    return this.client.close();
  }
}
