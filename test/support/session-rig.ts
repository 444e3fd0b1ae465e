// Gives tests direct access to a session of a daemon in this process. Tests can then install faults, abort requests and
// check internals. For daemons in separate processes see daemon-rig.ts.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OperationContext } from '../../src/checkpoints/operation.ts';
import type { CommandMethod } from '../../src/commands/command.ts';
import type { ParamsOf, ResultOf } from '../../src/protocol/types.ts';
import type { Session } from '../../src/session/session.ts';
import { git } from './git-oracle.ts';
import { InProcessDaemon } from './in-process-daemon.ts';

/** Returns the context of one operation. `signal` cancels the operation. */
export function operation(signal: AbortSignal = new AbortController().signal): OperationContext {
  return {
    signal,
    stamp: {},
    onRecovered: () => undefined,
    progress: () => () => undefined,
    warn: () => undefined,
  };
}

export class SessionRig {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-session-')));
  readonly work = join(this.top, 'work');
  readonly storage = join(this.top, 'storage');
  readonly daemon = new InProcessDaemon(this.storage, { orphanGraceMs: 0, onPoison: () => undefined });
  readonly sessions = this.daemon.daemon.sessions;
  /** Options for the next session/open, added to the usual ones. */
  settings: {
    include?: readonly string[];
    exclude?: readonly string[];
    maxFileBytes?: number;
    retention?: 'keep';
    strategy?: 'shadow' | 'local' | 'sqlite';
    maxStoreBytes?: number;
  } = {};

  constructor() {
    mkdirSync(this.work);
    git(this.work, 'init', '-q', '-b', 'main');
  }

  /** The lines of the log, as `level message`. */
  get logged(): string[] {
    return this.daemon.logged.map(({ level, message }) => `${level} ${message}`);
  }

  /** The methods of all notifications to clients. */
  get told(): string[] {
    return this.daemon.told.map(({ method }) => method);
  }

  async open(context: OperationContext = operation()): Promise<Session> {
    const { session } = await this.sessions.open(
      {
        workTree: this.work,
        conversationId: 'conversation',
        strategy: this.settings.strategy ?? 'shadow',
        init: 'auto',
        retention: this.settings.retention ?? 'session',
        allowProtected: false,
        isDefaultStorage: true,
        named: [],
        options: {
          storage: this.storage,
          include: this.settings.include ?? [],
          exclude: this.settings.exclude ?? [],
          durability: 'process',
          features: { checkpoints: true, tangent: true },
          limits: {
            maxFileBytes: this.settings.maxFileBytes ?? 1 << 28,
            initTimeoutMs: 60_000,
            ...(this.settings.maxStoreBytes === undefined
              ? {}
              : { maxStoreBytes: this.settings.maxStoreBytes }),
          },
        },
      },
      context,
    );
    return session;
  }

  /** Sends a request in the name of the client that `open` uses. */
  request<M extends CommandMethod>(
    method: M,
    params: ParamsOf<M>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ResultOf<M>> {
    return this.daemon.call(method, params, { signal, client: this.sessions });
  }

  write(path: string, content: string): void {
    const file = join(this.work, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(join(this.work, path), 'utf8');
  }

  async dispose(): Promise<void> {
    await this.sessions.closeAll('orderly');
    await this.sessions.deletionsDone();
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** Runs `body` with a rig, and removes the rig afterwards. */
export async function withSessions(body: (rig: SessionRig) => Promise<void>): Promise<void> {
  const rig = new SessionRig();
  // Keeps the process alive during the test, as the pipe of a client does. The timers of the daemon do not keep it
  // alive.
  const pipe = setInterval(() => undefined, 60_000);
  try {
    await body(rig);
  } finally {
    try {
      await rig.dispose();
    } finally {
      clearInterval(pipe);
    }
  }
}
