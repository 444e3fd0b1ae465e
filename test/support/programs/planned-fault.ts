// A fault that another process plans while the daemon runs. The other process writes a plan into a file. The daemon
// follows the plan at its n-th call on files or processes (src/base/seam.ts). The daemon records its actions in a
// second file.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import type { Fault } from '../../../src/base/seam.ts';

/**
 * A fault at the `at`-th matching call, counted from now. With `executable`, the file that the call names becomes
 * executable. With `slow`, the call is delayed by `ms`.
 */
export interface FaultPlan {
  readonly act: 'none' | 'kill' | 'killAll' | 'fail' | 'link' | 'executable' | 'slow';
  /** For `slow`: the delay. */
  readonly ms?: number;
  readonly at: number;
  /** The number of consecutive calls with the fault. By default 1. */
  readonly times?: number;
  /** For `fail`: an index into the list of errors that the call can return. */
  readonly error?: number;
  /** A regular expression for `call target`. Without this expression, every call matches. */
  readonly match?: string;
  /** For `link`: `from` is renamed to `aside`, and a link to `to` takes its place. */
  readonly link?: { readonly from: string; readonly aside: string; readonly to: string };
  /**
   * The number of milliseconds by which the daemon's clock is ahead of the machine's clock, which sets the times of
   * files. By default 0.
   */
  readonly shiftMs?: number;
}

const reading = ['EIO', 'EACCES', 'EMFILE', 'ENFILE', 'ENOMEM'];
const writing = ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT', 'EACCES', 'EPERM', 'ENOMEM'];
/** The errors that each system call can really return. A call without an entry never fails. */
const errorsOf: Readonly<Record<string, readonly string[]>> = {
  access: ['EACCES', 'EIO'],
  chmod: ['EPERM', 'EROFS', 'EIO'],
  copyFile: writing,
  fchmod: ['EPERM', 'EROFS', 'EIO'],
  fstat: ['EIO', 'ENOMEM'],
  fsync: ['EIO', 'ENOSPC', 'EDQUOT'],
  ftruncate: ['EIO', 'EPERM'],
  link: [...writing, 'EMLINK'],
  lstat: ['EACCES', 'EIO', 'ENOMEM'],
  mkdir: writing,
  open: [...reading, 'ENOSPC', 'EROFS', 'EDQUOT', 'EPERM'],
  read: ['EIO', 'ENOMEM'],
  readdir: reading,
  readFile: reading,
  readlink: ['EACCES', 'EIO', 'ENOMEM'],
  realpath: ['EACCES', 'EIO', 'ENOMEM'],
  rename: writing,
  rm: ['EACCES', 'EPERM', 'EROFS', 'EIO', 'EBUSY'],
  rmdir: ['EACCES', 'EPERM', 'EROFS', 'EIO', 'EBUSY'],
  spawn: ['EAGAIN', 'EMFILE', 'ENOMEM'],
  stat: ['EACCES', 'EIO', 'ENOMEM'],
  statfs: ['EIO', 'EACCES'],
  symlink: writing,
  unlink: ['EACCES', 'EPERM', 'EROFS', 'EIO', 'EBUSY'],
  utimes: ['EPERM', 'EROFS', 'EIO'],
  watch: ['ENOSPC', 'EMFILE'],
  write: ['ENOSPC', 'EIO', 'EDQUOT'],
  writeFile: writing,
};

/** Returns a fault that follows the plans in `file`. For each action, the fault writes a line into `file.told`. */
export function plannedFault(file: string): Fault {
  let plan: FaultPlan = { act: 'none', at: 0 };
  let calls = 0;
  const machineNow = Date.now;
  Date.now = () => machineNow() + (plan.shiftMs ?? 0);
  const log = (line: string): void => appendFileSync(`${file}.told`, `${line}\n`);
  return (call, target) => {
    if (existsSync(file)) {
      plan = JSON.parse(readFileSync(file, 'utf8')) as FaultPlan;
      unlinkSync(file);
      calls = 0;
    }
    if (
      plan.act === 'none' ||
      (plan.match !== undefined && !new RegExp(plan.match).test(`${call} ${target}`))
    )
      return;
    calls += 1;
    if (calls < plan.at || calls >= plan.at + (plan.times ?? 1)) return;
    const where = `${call} ${target}`;
    if (plan.act === 'fail') {
      const codes = errorsOf[call];
      const code = codes?.[(plan.error ?? 0) % codes.length];
      if (code === undefined) return;
      log(`${code} ${where}`);
      throw Object.assign(new Error(`${code}: injected, ${where}`), { code, syscall: call });
    }
    if (plan.act === 'slow') return block(plan.ms ?? 0);
    log(`${plan.act} ${where}`);
    if (plan.act === 'executable' && lstatSync(target).isFile()) chmodSync(target, 0o755);
    if (plan.act === 'link' && plan.link !== undefined) swap(plan.link);
    if (plan.act === 'killAll') for (const child of children()) process.kill(child, 'SIGKILL');
    if (plan.act === 'kill' || plan.act === 'killAll') process.kill(process.pid, 'SIGKILL');
  };
}

/** Blocks this thread, as a system call on a slow disk does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function swap({ from, aside, to }: NonNullable<FaultPlan['link']>): void {
  if (!existsSync(from) || existsSync(aside)) return;
  renameSync(from, aside);
  symlinkSync(to, from);
}

/** Returns the process ids of this process's children. */
function children(): number[] {
  const words = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return words.filter((word) => word !== '').map(Number);
}
