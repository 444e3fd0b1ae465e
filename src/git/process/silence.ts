// Detects whether a git process works or hangs. On Linux, a process counts as working while its process group uses
// processor time or transfers bytes. On other systems, only the bytes in the daemon's pipes count.
import { attemptOr, isOfSystem } from '../../base/attempt.ts';
import { CheckpointdError } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** The maximum time for which a process may do nothing while a caller waits for it. */
export const silenceMsMax = 8_000;

interface SilenceOptions {
  /** Returns the process group to watch, or undefined before the process runs. */
  readonly group: () => number | undefined;
  readonly onSilence: (patienceMs: number) => void;
  /** The assumed state of a process on a system that does not report the state. */
  readonly whenUnknown: 'silent' | 'working';
}

/**
 * A timer that fires only if the process has done nothing. Checks the process after half of the time and after the
 * whole time.
 */
export class SilenceTimer {
  readonly #options: SilenceOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  /** Restarts the timer. Called when the process has written something or got a query. */
  restart(patienceMs: number = silenceMsMax): void {
    this.#wait(patienceMs, undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(patienceMs: number, before: number | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const done = this.#work();
      if (before === undefined || done !== before) this.#wait(patienceMs, done);
      else this.#options.onSilence(patienceMs);
    }, patienceMs / 2);
  }

  #work(): number {
    const group = this.#options.group();
    const done = group === undefined ? undefined : workOf(group);
    return done ?? (this.#options.whenUnknown === 'silent' ? 0 : performance.now());
  }
}

/** Returns the error for a git that was killed because it did nothing. */
export function silent(args: readonly string[], patienceMs: number): CheckpointdError {
  return new CheckpointdError(
    'GitFailed',
    `git ${args[0] ?? ''} did not answer: it did nothing for ${patienceMs / 1000} seconds and was killed. Check the first git on PATH and its disk, then try again.`,
    { details: { args: args.slice(0, 12), silentMs: patienceMs }, retryable: true },
  );
}

/** True when git failed because it hung. With the same query, git would hang again. */
export function isSilence(error: unknown): boolean {
  return error instanceof CheckpointdError && error.details?.['silentMs'] !== undefined;
}

/**
 * Returns a number that changes when a process of the group works: the sum of processor time and transferred bytes.
 * Returns undefined when the system does not report these figures.
 */
function workOf(group: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  let work: number | undefined;
  for (const name of files.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The second field is the command name in parentheses, which may contain any character. The later fields therefore
    // begin after the last parenthesis.
    const stat = read(`/proc/${name}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[2]) !== group) continue;
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const moved = /rchar: (\d+)\nwchar: (\d+)/.exec(read(`/proc/${name}/io`));
    // The start or the end of a process in the group counts as work, too.
    work = (work ?? 0) + 1 + ticks + Number(moved?.[1] ?? 0) + Number(moved?.[2] ?? 0);
  }
  return work;
}

function read(file: string): string {
  // The process has ended, or belongs to another user.
  return attemptOr('', isOfSystem, () => files.readFileSync(file, 'utf8'));
}
