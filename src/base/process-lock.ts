// A lock is a name that only one process of this machine can have at a time. The lock ends when its process ends. On
// Linux the lock is an abstract unix socket, on Windows a named pipe. The kernel frees the socket or the pipe
// immediately, even after SIGKILL. On other systems the lock is a file with the pid and start time of its process. A
// lock file is weaker: it stays valid if a later process has the same pid and start time.
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { attempt, isOfSystem } from './attempt.ts';
import { systemCode } from './errors.ts';
import { files } from './files.ts';
import { isObject, parseJson } from './json.ts';

/** The process that has a lock, described so that another process can identify it later. */
export interface Holder {
  readonly pid: number;
  /** The start time of the process, from field 22 of /proc/PID/stat. Needed because pids are reused. */
  readonly startTime?: string | undefined;
  readonly bootId?: string | undefined;
  /** The pid namespace. A pid from another namespace means nothing here. */
  readonly pidNamespace?: string | undefined;
  readonly host: string;
}

export interface ProcessLock {
  release(): void;
}

/** Facts about this process that never change. These facts are cached, so that a later system error does no harm. */
const cached: {
  startTime?: string | undefined;
  bootId?: string | undefined;
  pidNamespace?: string | undefined;
} = {};

export function describeSelf(): Holder {
  cached.startTime ??= startTimeOf(process.pid);
  cached.pidNamespace ??= attempt(isOfSystem, () => files.readlinkSync(`/proc/self/ns/pid`));
  const { startTime, pidNamespace } = cached;
  return { pid: process.pid, host: hostname(), startTime, bootId: bootId(), pidNamespace };
}

/** Returns the id of the machine's current boot, or undefined on systems without such an id. */
export function bootId(): string | undefined {
  cached.bootId ??= readSmall('/proc/sys/kernel/random/boot_id');
  return cached.bootId;
}

/**
 * Returns whether the process that `holder` describes still runs. Returns `unknown` when this process cannot see that
 * process.
 */
export function holderState(holder: Holder): 'alive' | 'dead' | 'unknown' {
  const self = describeSelf();
  if (holder.host !== self.host) return 'unknown';
  if (holder.bootId !== undefined && self.bootId !== undefined && holder.bootId !== self.bootId)
    return 'dead';
  if (holder.pidNamespace !== self.pidNamespace) return 'unknown';
  // State Z: the process has ended, and its parent has not noticed yet.
  if (!isAlive(holder.pid) || fieldsOf(holder.pid)?.[0] === 'Z') return 'dead';
  const startTime = startTimeOf(holder.pid);
  if (holder.startTime === undefined || startTime === undefined) return 'alive';
  return startTime === holder.startTime ? 'alive' : 'dead';
}

/**
 * Takes the lock `name`. Returns undefined when the lock is already taken, even if this process has taken it.
 *
 * `file` is the lock file, which only systems without kernel locks use.
 */
export async function takeProcessLock(name: string, file: string): Promise<ProcessLock | undefined> {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 40);
  if (process.platform === 'linux') return listen(`\0checkpointd-${digest}`);
  if (process.platform === 'win32') return listen(`\\\\.\\pipe\\checkpointd-${digest}`);
  return takeFileLock(file);
}

function listen(path: string): Promise<ProcessLock | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => {
      if (systemCode(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path, exclusive: true }, () => {
      server.unref(); // the lock does not keep the daemon alive
      resolve({ release: () => void server.close() });
    });
  });
}

function takeFileLock(file: string): ProcessLock | undefined {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      files.writeFileSync(file, JSON.stringify(describeSelf()), { flag: 'wx', mode: 0o600 });
      return { release: () => files.rmSync(file, { force: true }) };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      const text = readSmall(file);
      if (text === undefined) continue; // the other process released the lock between the two calls
      if (holderState(parseHolder(text)) !== 'dead') return undefined;
      files.rmSync(file, { force: true });
    }
  }
  return undefined;
}

/** Parses a {@link Holder}. For an invalid text, returns a holder whose state is unknown. */
export function parseHolder(text: string): Holder {
  const value = parseJson(text);
  const isHolder = isObject<keyof Holder>(value) && 'pid' in value && 'host' in value;
  return isHolder ? (value as Holder) : { pid: -1, host: '' };
}

/** True when a process exists, even if this user has no permission to send a signal to the process. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM'; // the process exists and belongs to another user
  }
}

function startTimeOf(pid: number): string | undefined {
  return fieldsOf(pid)?.[19];
}

/**
 * Returns the fields of `/proc/PID/stat`, beginning with the process state. The command name, which precedes the state,
 * may contain any character, even parentheses.
 */
function fieldsOf(pid: number): string[] | undefined {
  const stat = readSmall(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readSmall(file: string): string | undefined {
  return attempt(isOfSystem, () => files.readFileSync(file, 'utf8').trim());
}
