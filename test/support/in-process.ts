// Sessions in this process, without a wire: a scratch repository and the real use cases, for tests that install a
// fault or hold an abort signal in their hands.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { createLog, silentLog } from '../../src/base/log.ts';
import { sessionEvents } from '../../src/commands/answers/announce.ts';
import type { CommandMethod, DaemonParts } from '../../src/commands/command.ts';
import { execute } from '../../src/commands/execute.ts';
import { commands } from '../../src/commands/table.ts';
import type { ParamsOf, ResultOf } from '../../src/protocol/types.ts';
import { toWireError } from '../../src/rpc/error-response.ts';
import type { OperationContext } from '../../src/session/operations/operation-context.ts';
import { OperationRecords } from '../../src/session/operations/operation-records.ts';
import type { Session } from '../../src/session/session.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { noteSent, undeclaredIn } from './declarations.ts';
import { git } from './git-oracle.ts';

/** The context of one operation; `signal` cancels it. */
export function operation(signal: AbortSignal = new AbortController().signal): OperationContext {
  return {
    signal,
    stamp: {},
    progress: () => () => undefined,
    warn: () => undefined,
  };
}

export class SessionRig {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-session-')));
  readonly work = join(this.top, 'work');
  readonly storage = join(this.top, 'storage');
  readonly logged: string[] = [];
  /** The methods of the notifications that a client would have got. */
  readonly told: string[] = [];
  readonly sessions: Sessions;
  /** What the next opening asks for, besides the usual. */
  settings: {
    include?: readonly string[];
    exclude?: readonly string[];
    maxFileBytes?: number;
    retention?: 'keep';
    maxStoreBytes?: number;
  } = {};
  readonly #daemon: DaemonParts;

  constructor() {
    mkdirSync(this.work);
    git(this.work, 'init', '-q', '-b', 'main');
    const log = createLog('debug', [(level, message) => this.logged.push(`${level} ${message}`)]);
    this.sessions = new Sessions({
      surroundings: {
        events: sessionEvents((method, params) => {
          this.told.push(method);
          assert.equal(undeclaredIn({ method, params }, undefined), [], `${method} tells what is declared`);
        }, log),
        log,
        onPoison: () => undefined,
      },
      defaultStorage: this.storage,
      orphanGraceMs: 0,
      log,
    });
    const alone = <T>(work: () => Promise<T>): Promise<T> => work();
    const operations = new OperationRecords();
    const { sessions, storage } = this;
    this.#daemon = { sessions, storage, operations, openingsOf: () => operations, alone, log };
  }

  async open(context: OperationContext = operation()): Promise<Session> {
    const { session } = await this.sessions.open(
      {
        workTree: this.work,
        conversationId: 'conversation',
        strategy: 'shadow',
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

  /** Asks as a client does, by the executor. */
  async request<M extends CommandMethod>(
    method: M,
    params: ParamsOf<M>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ResultOf<M>> {
    const request = { signal, progress: { report: () => undefined }, client: this.sessions };
    noteSent(method, params);
    try {
      const result = (await execute(commands[method], params, request, this.#daemon)) as ResultOf<M>;
      assert.equal(undeclaredIn({ result }, method), [], `${method} answers what is declared`);
      return result;
    } catch (error) {
      if (!(error instanceof CheckpointdError)) throw error;
      const wire = toWireError(error, { method, mutates: false, log: silentLog });
      assert.equal(undeclaredIn({ error: wire }, method), [], `${method} ends with what is declared`);
      throw error;
    }
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

/** Gives a rig to `body` and takes it away afterwards. */
export async function withSessions(body: (rig: SessionRig) => Promise<void>): Promise<void> {
  const rig = new SessionRig();
  // A daemon lives as long as its client's pipe; what it waits for keeps no process alive by itself.
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
