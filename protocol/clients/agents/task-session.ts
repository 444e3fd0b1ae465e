// What both adapters need: one kept session for a task of the agent, and the contents that changed between two states.
import { CheckpointdClient } from 'checkpointd/client';

export interface ChangedFile {
  readonly relative: string;
  readonly absolute: string;
  /** Empty where there was none, and for binaries. */
  readonly before: string;
  readonly after: string;
}

export class TaskSession {
  private constructor(
    readonly client: CheckpointdClient,
    readonly session: string,
    /** Whether the task had checkpoints before. */
    readonly isResumed: boolean,
  ) {}

  /** Starts a daemon of our own, and takes the task up where it was left. */
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

  /** Removes what is kept of a task; false where there is nothing. */
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

  /** Makes a checkpoint; undefined where nothing changed and none is wanted then. */
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

  /** The work tree becomes that state; what it displaces is saved first. */
  async restore(checkpoint: string): Promise<void> {
    const { client, session } = this;
    const params = { session, tag: checkpoint, mode: 'hard', scope: 'files', confirm: true } as const;
    const { failed } = await client.request('checkpoint/restore', params);
    if (failed.length > 0) throw new Error(`Not restored: ${failed.map(({ path }) => path).join(', ')}`);
  }

  /** The checkpoints of the task, the base first. */
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

  /** Without `from` since the base, without `to` up to the work tree as it is. */
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
