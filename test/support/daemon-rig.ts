// A temporary repository with its own storage, and daemons over stdio, for tests of how sessions begin and end. The rig
// itself reads the disk and /proc, and leaves no process and no file behind.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { plainUserPrefix } from '../../scripts/torture/plain-user.ts';
import type { EventName, SessionOpenParams, SessionOpenResult } from '../../src/protocol/types.ts';
import { git } from './git-oracle.ts';
import { temporaryDirectory } from './temporary.ts';
import { until } from './until.ts';
import { daemonEntry, testProgram, WireClient, type WireOptions } from './wire-client.ts';

/** The program of a daemon that kills itself or fails, as its arguments say. See planned-daemon.ts. */
export const faultyEntry = testProgram('planned-daemon');

/** The command that runs the daemon as uid 65534, without the rights of root. */
export const asNobody = [...plainUserPrefix, process.execPath, daemonEntry] as const;

export interface StartOptions extends WireOptions {
  /** The grace period in hours. The default of 24 allows a session to be resumed after a kill. */
  readonly graceHours?: number;
  /** The events to receive. By default none. */
  readonly events?: readonly EventName[];
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number | undefined;
}

export class DaemonRig {
  readonly top = realpathSync(temporaryDirectory('life'));
  readonly work = join(this.top, 'work');
  readonly storage = join(this.top, 'storage');
  readonly home = join(this.top, 'home');
  readonly runtime = join(this.top, 'run');
  readonly log = join(this.top, 'daemon.log');
  readonly #clients: WireClient[] = [];
  readonly #programs: ChildProcess[] = [];

  constructor({ repository = true }: { readonly repository?: boolean } = {}) {
    for (const directory of [this.work, this.home]) mkdirSync(directory);
    mkdirSync(this.runtime, { mode: 0o700 });
    if (repository) git(this.work, 'init', '-q', '-b', 'main');
    this.write('a.txt', 'a\n');
    this.write('deep/b.txt', 'b\n');
  }

  write(path: string, content: string): void {
    const file = join(this.work, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string | undefined {
    const file = join(this.work, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Returns the content of every file of the work tree outside .git, by path. */
  tree(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of readdirSync(this.work, { recursive: true, encoding: 'utf8' }).sort()) {
      if (name === '.git' || name.startsWith('.git/')) continue;
      const path = join(this.work, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
      else if (stats.isFile()) found[name] = readFileSync(path, 'utf8');
    }
    return found;
  }

  /** An environment in which no command leaves a daemon behind. */
  get environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.home,
      XDG_RUNTIME_DIR: this.runtime,
      CHECKPOINTD_NO_DAEMON: '1',
    };
  }

  /** Returns the arguments for a daemon in this rig. */
  args(graceHours = 24): string[] {
    return [
      `--storage-dir=${this.storage}`,
      `--orphan-grace-hours=${graceHours}`,
      `--log-file=${this.log}`,
      '--log-level=debug',
    ];
  }

  /** Runs a command on the storage of this rig to its end. */
  command(...words: string[]): Promise<CommandResult> {
    return this.commandIn({}, ...words);
  }

  /** Runs a command as {@link command} does. The command must succeed. Returns its standard output. */
  async output(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.command(...words);
    assert.is(code, 0, stderr);
    return stdout;
  }

  /** Runs a command as {@link command} does, in a directory of the work tree or in another environment. */
  async commandIn(
    { directory, env }: { readonly directory?: string; readonly env?: NodeJS.ProcessEnv },
    ...words: string[]
  ): Promise<CommandResult> {
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    const program = this.run(words.toSpliced(end, 0, `--storage=${this.storage}`), directory, env);
    const code = await program.code;
    return { code, stdout: program.stdout, stderr: program.stderr, pid: program.pid };
  }

  /** Runs `checkpointd` with these arguments in a directory of the work tree. The rig ends the program. */
  run(
    words: readonly string[],
    directory = '.',
    env: NodeJS.ProcessEnv = this.environment,
  ): {
    readonly code: Promise<number | null>;
    readonly stdout: string;
    readonly stderr: string;
    readonly pid: number | undefined;
    kill(signal: NodeJS.Signals): void;
  } {
    const child = spawn(process.execPath, [daemonEntry, ...words], {
      env,
      cwd: join(this.work, directory),
    });
    this.#programs.push(child);
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
    const code = new Promise<number | null>((resolve) => child.on('close', resolve));
    return Object.defineProperties(
      {
        code,
        stdout: '',
        stderr: '',
        pid: child.pid,
        kill: (signal: NodeJS.Signals): void => void child.kill(signal),
      },
      {
        stdout: { get: () => said.stdout },
        stderr: { get: () => said.stderr },
      },
    );
  }

  /** Ends the programs that `run` started. Waits until each program has ended and closed its output. */
  async endPrograms(): Promise<void> {
    const running = this.#programs.filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    const ended = running.map((program) => once(program, 'close'));
    for (const program of running) program.kill('SIGTERM');
    await Promise.all(ended);
  }

  /** Starts a daemon and initialises it. */
  async start(options: StartOptions = {}): Promise<WireClient> {
    const client = new WireClient({
      command: [process.execPath, daemonEntry],
      env: this.environment,
      ...options,
      args: [...this.args(options.graceHours), ...(options.args ?? [])],
    });
    this.#clients.push(client);
    const { events } = options;
    await client.initialize(events === undefined ? {} : { capabilities: { checkpointd: { events } } });
    return client;
  }

  /** Opens a session on the work tree. Without other parameters, every call opens the same session. */
  open(client: WireClient, params: Partial<SessionOpenParams> = {}): Promise<SessionOpenResult> {
    return client.request('session/open', {
      workspace: this.work,
      conversationId: 'conversation',
      ...params,
    });
  }

  /** Starts a daemon with an open session. */
  async opened(
    params: Partial<SessionOpenParams> = {},
    options: StartOptions = {},
  ): Promise<{ readonly client: WireClient; readonly session: string; readonly resumed: boolean }> {
    const client = await this.start(options);
    const { session, resumed } = await this.open(client, params);
    return { client, session, resumed };
  }

  /** Returns the names of all entries in the storage. */
  stored(): string[] {
    return existsSync(this.storage) ? readdirSync(this.storage).sort() : [];
  }

  /** Returns the names of the session directories, without those that were renamed for deletion. */
  sessions(): string[] {
    return this.stored().filter((name) => name.startsWith('ses_'));
  }

  /**
   * Checks that the storage is empty after the end of a daemon. A daemon on a busy machine may end before it has deleted
   * a renamed directory, and the next start deletes the rest.
   */
  async emptied(): Promise<void> {
    assert.equal(
      this.stored().filter((name) => !name.startsWith('.trash-ses_')),
      [],
    );
    if (this.stored().length === 0) return;
    // With a grace period of 0, the daemon sweeps at its start.
    const next = await this.start({ graceHours: 0 });
    await until('the next start deletes the renamed directories', () => this.stored().length === 0);
    assert.is((await next.close()).code, 0);
  }

  shadow(session: string): string {
    return join(this.storage, session);
  }

  logText(): string {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
  }

  /** Returns the temporary files that restores have left in the work tree. */
  leftovers(): string[] {
    return Object.keys(this.tree()).filter((path) => path.includes('.ckpt-tmp-'));
  }

  /** Returns the process id and command line of each git process that runs in this rig. */
  children(): string[] {
    return processes()
      .filter(({ cwd, words }) => isGit(words) && cwd.startsWith(this.top))
      .map(describe);
  }

  /** Returns every process that runs in this rig's storage. */
  processes(): string[] {
    return processes()
      .filter(({ cwd }) => cwd.startsWith(this.storage))
      .map(describe);
  }

  /** Copies the work tree and the storage aside. */
  copyAside(): void {
    for (const from of [this.work, this.storage]) copyTree(from, `${from}-aside`);
  }

  /** Replaces the work tree and the storage by the copies that {@link copyAside} made. */
  copyBack(): void {
    for (const to of [this.work, this.storage]) copyTree(`${to}-aside`, to);
  }

  async dispose(): Promise<void> {
    for (const program of this.#programs) program.kill('SIGKILL');
    await Promise.all(this.#clients.map((client) => client.kill()));
    const violations = this.#clients.flatMap((client) => [...client.violations, ...client.undeclared]);
    rmSync(this.top, { recursive: true, force: true });
    if (violations.length > 0) throw new Error(violations.join('\n'));
  }
}

function copyTree(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

interface Process {
  readonly pid: string;
  readonly cwd: string;
  readonly words: readonly string[];
}

function processes(): Process[] {
  const found: Process[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      found.push({ pid, cwd, words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') });
    } catch {
      // the process has ended meanwhile
    }
  }
  return found;
}

function isGit(words: readonly string[]): boolean {
  return words.slice(0, 2).some((word) => /(^|\/)git(-[a-z]+)?$/.test(word));
}

function describe({ pid, words }: Process): string {
  return `${pid} ${words.join(' ').slice(0, 300)}`;
}

/** Runs `body` with a rig. Afterwards removes the rig and ends its processes. */
export async function withRig<T>(
  body: (rig: DaemonRig) => Promise<T>,
  options: ConstructorParameters<typeof DaemonRig>[0] = {},
): Promise<T> {
  const rig = new DaemonRig(options);
  try {
    return await body(rig);
  } finally {
    await rig.dispose();
  }
}

/** Returns the faults that git finds in a repository, or an empty text if there are none. */
export function fsck(gitDir: string): string {
  const result = spawnSync('git', [`--git-dir=${gitDir}`, 'fsck', '--strict', '--no-dangling'], {
    encoding: 'utf8',
  });
  return result.status === 0 ? result.stdout : `${result.stdout}${result.stderr}`;
}
