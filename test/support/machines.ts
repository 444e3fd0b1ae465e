// Machines that share a git remote. Each machine is a work tree and a daemon in this process, with its own storage.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as Wire from '../../src/protocol/types.ts';
import { InProcessDaemon, manifest, repository } from './in-process-daemon.ts';
import { temporaryDirectory } from './temporary.ts';

/** Makes an empty bare repository. */
export function bareRepository(): string {
  const path = join(temporaryDirectory('remote'), 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', path]);
  return path;
}

export class Machine {
  readonly daemon: InProcessDaemon;
  readonly root: string;
  session = '';

  private constructor(root: string, storage?: string) {
    this.daemon = new InProcessDaemon(storage);
    this.root = root;
  }

  /** Makes a machine from an existing work tree and storage. */
  static over(root: string, storage: string): Machine {
    return new Machine(root, storage);
  }

  /** Makes a machine with a repository of these files. The machine knows the remote as `team`. */
  static async make(remote: string, files?: Record<string, string>): Promise<Machine> {
    const machine = new Machine(repository(files));
    await machine.daemon.call('remote/add', { name: 'team', url: remote });
    return machine;
  }

  async open(more: Partial<Wire.SessionOpenParams> = {}): Promise<Wire.SessionOpenResult> {
    const opened = await this.daemon.open(this.root, { conversationId: 'talk', retention: 'keep', ...more });
    this.session = opened.session;
    return opened;
  }

  write(path: string, content: string, mode?: number): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, mode === undefined ? {} : { mode });
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Returns every file of the work tree with its mode and hash. */
  get files(): Record<string, string> {
    return manifest(this.root);
  }

  async turn(message: string): Promise<string> {
    const { session } = this;
    const { checkpoint } = await this.daemon.call('checkpoint/create', { session, kind: 'turn', message });
    return checkpoint.id;
  }

  async say(text: string): Promise<void> {
    const entry = { user: { content: text }, assistant: { content: `re: ${text}` } };
    await this.daemon.call('conversation/append', { session: this.session, entry });
  }

  push(more: Partial<Wire.RemotePushParams> = {}): Promise<Wire.RemotePushResult> {
    return this.daemon.call('remote/push', { remote: 'team', session: this.session, ...more });
  }

  /** Imports a session into this machine's work tree, and opens it. */
  async import(
    session: string,
    more: Partial<Wire.SessionImportParams> = {},
  ): Promise<Wire.SessionImportResult> {
    const params = { remote: 'team', session, workspace: this.root, ...more };
    const imported = await this.daemon.call('session/import', params);
    const { conversationId, strategy, workspace } = imported;
    const opened = await this.daemon.open(workspace, { conversationId, strategy, retention: 'keep' });
    this.session = opened.session;
    return imported;
  }

  restore(tag: string, more: Partial<Wire.CheckpointRestoreParams> = {}): Promise<Wire.RestoreResult> {
    return this.daemon.call('checkpoint/restore', { session: this.session, tag, mode: 'hard', ...more });
  }

  async history(): Promise<unknown> {
    return (await this.daemon.call('conversation/history', { session: this.session })).entries;
  }

  async checkpoints(): Promise<readonly Wire.Checkpoint[]> {
    return (await this.daemon.call('checkpoint/list', { session: this.session, kind: 'every' })).checkpoints;
  }

  async close(): Promise<void> {
    await this.daemon.close();
  }
}
