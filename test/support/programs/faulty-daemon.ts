// The daemon with a named fault, for examples and conformance cases that need a fault. Installs the fault in
// src/base/seam.ts, and then runs the unchanged daemon. The shipped daemon has no such switch. For kills see
// test/daemon/planned-daemon.ts.
//
//   faulty-daemon.js --fault=NAME …
//   faulty-daemon.js --fault=switched …     Uses the fault whose name is in the file $CHECKPOINTD_TEST_SWITCH, if any.
import { existsSync, readFileSync } from 'node:fs';
import { type Fault, installFault } from '../../../src/base/seam.ts';
import { runDaemon } from '../../../src/run-daemon.ts';

function refusal(code: string, call: string, target: string): Error {
  return Object.assign(new Error(`${code}: ${call} '${target}'`), { code, syscall: call });
}

const writing = new Set([
  'write',
  'writeFile',
  'mkdir',
  'rename',
  'link',
  'symlink',
  'copyFile',
  'fsync',
  'open',
]);
const lately = new Int32Array(new SharedArrayBuffer(4));
/**
 * A fault begins once the file with the name in CHECKPOINTD_TEST_ARM exists. Without this variable, a fault begins
 * immediately.
 */
const arm = process.env.CHECKPOINTD_TEST_ARM;
const isArmed = (): boolean => arm === undefined || existsSync(arm);

/** For each fault, its effect on a call. */
export const faults: Readonly<Record<string, Fault>> = {
  /** Throws a TypeError for a path that contains DEFECT. The text of this error must not reach a client. */
  defect: (_call, target) => {
    if (target.includes('DEFECT'))
      throw new TypeError(`secret words ${process.env.CHECKPOINTD_TEST_SECRET ?? ''}`);
  },
  /**
   * Delays the opening of each file of the work tree by 5 ms. So even on a fast machine, the request reports progress
   * and can be cancelled.
   */
  captureSlow: (call, target) => {
    if (call === 'open' && /\/proc\/self\/fd\/\d+\/.|\/workspace\/./.test(target) && isArmed())
      Atomics.wait(lately, 0, 0, 5);
  },
  /**
   * Delays every `open` of a file named `slow-…` by 5 ms, and of a file named `stuck-…` by 25 ms. The scenarios of the
   * clients need such delays: a request must report progress, and must run long enough to be cancelled.
   */
  slowNames: (call, target) => {
    if (call !== 'open') return;
    const pace = /(?:^|\/)(slow|stuck)-[^/]*$/.exec(target)?.[1];
    if (pace !== undefined) Atomics.wait(lately, 0, 0, pace === 'slow' ? 5 : 25);
  },
  noSpace: (call, target) => {
    // The session's log is written through a descriptor, so the target of a write to the log is a number.
    if (writing.has(call) && /storage|outside|^\d+$/.test(target) && isArmed())
      throw refusal('ENOSPC', call, target);
  },
  readOnlyStore: (call, target) => {
    if (writing.has(call) && target.includes('/storage') && isArmed()) throw refusal('EROFS', call, target);
  },
  storeUnavailable: (call, target) => {
    if (call === 'mkdir' && target.includes('/storage') && isArmed()) throw refusal('EIO', call, target);
  },
  fewDescriptors: (call, target) => {
    if (call === 'readdir' && target === '/proc/self/fd' && isArmed()) throw refusal('EMFILE', call, target);
  },
  workTreeUnreadable: (call, target) => {
    if (call === 'open' && target.endsWith('/workspace') && isArmed()) throw refusal('EACCES', call, target);
  },
  workTreeDefect: (_call, target) => {
    if (target.includes('/workspace')) throw new TypeError('secret words');
  },
  restoreFailed: (call, target) => {
    if (isReplacement(call, target)) throw refusal('EIO', call, target);
  },
  restoreHalfway: (call, target) => {
    if (isReplacement(call, target) && (replaced += 1) > 1) throw refusal('EIO', call, target);
  },
  /** Delays every rename of a restore by 25 ms, so that a test can end the daemon in the middle of the restore. */
  replaceSlow: (call, target) => {
    if (isReplacement(call, target)) Atomics.wait(lately, 0, 0, 25);
  },
  killedRestore: (call, target) => {
    if (isReplacement(call, target) && (replaced += 1) > 1) process.kill(process.pid, 'SIGKILL');
  },
  switched: (call, target) => {
    const file = process.env.CHECKPOINTD_TEST_SWITCH ?? '';
    const name = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (name !== '') faults[name]?.(call, target);
  },
};

let replaced = 0;
/** True for a rename that puts a restored file at its path. */
function isReplacement(call: string, target: string): boolean {
  return call === 'rename' && /\/proc\/self\/fd\/|\/workspace\//.test(target) && !target.includes('/storage');
}

const own = process.argv.filter((word) => word.startsWith('--fault='));
process.argv = process.argv.filter((word) => !own.includes(word));
for (const word of own) {
  const fault = faults[word.slice('--fault='.length)];
  if (fault === undefined) throw new Error(`no such fault: ${word}`);
  installFault(fault);
}

void runDaemon(process.argv.slice(2));
