// A daemon in this process, and temporary repositories, for the tests of commands. Parameters and results are checked
// with the schema, as on the wire. For access to a single session see session-rig.ts; for daemons in separate processes
// see daemon-rig.ts.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { createLog, type LogLevel, silentLog } from '../../src/base/log.ts';
import { createDaemon, type Daemon } from '../../src/daemon.ts';
import type * as Wire from '../../src/protocol/types.ts';
import { validateParams, validateResult } from '../../src/protocol/validators.ts';
import type { RequestContext } from '../../src/rpc/dispatch.ts';
import { toWireError } from '../../src/rpc/error-response.ts';
import { recordSent, undeclaredIn } from './declarations.ts';
import { temporaryDirectory } from './temporary.ts';
import { keepWatchingThreads } from './watching-threads.ts';

export interface Told {
  readonly method: string;
  readonly params: unknown;
}

/** A daemon in this process. */
export class InProcessDaemon {
  readonly storage: string;
  readonly told: Told[] = [];
  readonly logged: { readonly level: LogLevel; readonly message: string }[] = [];
  readonly daemon: Daemon;

  constructor(
    storage = join(temporaryDirectory('storage'), 'storage'),
    options: { orphanGraceMs?: number; onPoison?: (because: Error) => void } = {},
  ) {
    keepWatchingThreads();
    this.storage = storage;
    const log = createLog('debug', [(level, message) => this.logged.push({ level, message })]);
    this.daemon = createDaemon({
      notify: (method, params) => {
        const message = { method, params: asSent(params) };
        this.told.push(message);
        assert.equal(undeclaredIn(message, undefined), [], `${method} tells what is declared`);
      },
      log,
      storageDirectory: storage,
      onPoison: (because) => {
        throw because;
      },
      ...options,
    });
  }

  /** Sends a request, and validates parameters and result as on the wire. */
  async call<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    context: Partial<RequestContext> = {},
  ): Promise<Wire.ResultOf<M>> {
    assert.equal(validateParams(method, params), [], `${method} takes these parameters`);
    const handlers = this.daemon.handlers as Record<
      string,
      (params: unknown, context: RequestContext) => Promise<unknown>
    >;
    const handler = handlers[method];
    assert.ok(handler, `${method} has a handler`);
    recordSent(method, params);
    // A real daemon lives as long as its client's pipe is open. The timers of a daemon do not keep a process alive.
    const pipe = setInterval(() => undefined, 60_000);
    const answered = handler(params, {
      signal: new AbortController().signal,
      progress: { report: () => undefined },
      log: createLog('error', []),
      client: this,
      ...context,
    }).finally(() => clearInterval(pipe));
    const answer = await answered.catch((error: unknown) => {
      if (!(error instanceof CheckpointdError)) throw error;
      const wire = toWireError(error, { method, mutates: false, log: silentLog });
      assert.equal(undeclaredIn({ error: wire }, method), [], `${method} ends with what is declared`);
      throw error;
    });
    const result = asSent(answer);
    assert.equal(undeclaredIn({ result }, method), [], `${method} answers what is declared`);
    assert.equal(validateResult(method, result), [], `${method} answers what the schema says`);
    return result as Wire.ResultOf<M>;
  }

  async open(workspace: string, more: Partial<Wire.SessionOpenParams> = {}): Promise<Wire.SessionOpenResult> {
    return this.call('session/open', { workspace, ...more });
  }

  async close(): Promise<void> {
    await this.daemon.stop('signal');
  }
}

/** Returns a value as a client receives it: without fields that are undefined. */
const asSent = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

/** Starts a daemon with a session. The repository contains these files. */
export async function opened(
  files?: Record<string, string>,
): Promise<{ daemon: InProcessDaemon; root: string; session: string; shadow: string }> {
  const daemon = new InProcessDaemon();
  const root = repository(files);
  const { session, shadowRepoPath } = await daemon.open(root);
  assert.ok(shadowRepoPath);
  return { daemon, root, session, shadow: shadowRepoPath };
}

const gitEnvironment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: gitEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

const usualFiles = { 'a.txt': 'a\n', 'src/b.txt': 'b\n' };

/** The repositories that {@link repository} copies, because each start of git takes longer than a copy. */
let empty: string | undefined;
let usual: string | undefined;

/** Makes a temporary repository in which these files are committed. */
export function repository(files: Record<string, string> = usualFiles): string {
  const root = temporaryDirectory('work');
  if (files === usualFiles) {
    usual ??= committed(temporaryDirectory('usual'), usualFiles);
    cpSync(usual, root, { recursive: true, preserveTimestamps: true });
    return root;
  }
  return committed(root, files);
}

function committed(root: string, files: Record<string, string>): string {
  if (empty === undefined) {
    empty = temporaryDirectory('empty');
    git(empty, 'init', '-q', '-b', 'main');
  }
  cpSync(empty, root, { recursive: true });
  write(root, files);
  git(root, 'add', '-A');
  git(root, '-c', 'maintenance.auto=false', 'commit', '-q', '--allow-empty', '-m', 'first');
  return root;
}

/** Writes files with these texts (latin1), and makes their directories. The text `-> x` makes a link to x. */
export function write(root: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), path);
    else writeFileSync(path, content, 'latin1');
  }
}

/**
 * Returns a description of each file and link outside `.git`, by path: its permission bits and hash, or the target of
 * the link.
 */
export function manifest(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (directory: string, prefix: string): void => {
    for (const name of readdirSync(Buffer.from(directory, 'latin1'), { encoding: 'latin1' }).sort()) {
      if (prefix === '' && name === '.git') continue;
      const path = `${directory}/${name}`;
      const bytes = Buffer.from(path, 'latin1');
      const stat = lstatSync(bytes);
      const key = `${prefix}${name}`;
      if (stat.isDirectory()) visit(path, `${key}/`);
      else if (stat.isSymbolicLink()) found[key] = `link ${readlinkSync(bytes, { encoding: 'latin1' })}`;
      else
        found[key] =
          `${(stat.mode & 0o7777).toString(8)} ${createHash('sha256').update(readFileSync(bytes)).digest('hex').slice(0, 16)}`;
    }
  };
  visit(Buffer.from(root, 'utf8').toString('latin1'), '');
  return found;
}

/** Returns the state of the user's repository as git reports it. The daemon must never change this state. */
export function repositoryState(root: string): string {
  const index = createHash('sha256')
    .update(readFileSync(join(root, '.git/index')))
    .digest('hex');
  return [
    git(root, 'rev-parse', 'HEAD'),
    git(root, 'for-each-ref'),
    git(root, 'stash', 'list'),
    index,
    readFileSync(join(root, '.git/config'), 'utf8'),
  ].join('\n');
}
