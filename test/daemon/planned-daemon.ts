// The daemon with an installed fault, for tests that kill the daemon or make it fail at a chosen call. This program
// tells the seam which fault to inject, and then runs the unchanged daemon. The shipped daemon has no such switch.
//
// - `--kill=N:ARM:COUNT:MATCH`: SIGKILL at the N-th seam call that matches MATCH after the file ARM exists. The daemon
// writes this call into the file COUNT. For N = 0 the daemon is not killed, and writes all matching calls into COUNT.
// MATCH may be `changes`, for the calls that may change the disk.
// - `--gc=FILE`: Once FILE exists, the daemon writes the bytes of live memory (heap and buffers) into it.
// - `--plan=FILE`: The daemon executes the plan in FILE (planned-fault.ts).
// - `--pack=N`: The daemon packs the objects and refs of a shadow at every N checkpoints, however few they are.
// - `--throw=FILE`: Once FILE exists, the daemon throws outside of any request.
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { installFault } from '../../src/base/seam.ts';
import { runDaemon } from '../../src/run-daemon.ts';
import { packingLimits } from '../../src/store/git/packing.ts';
import { mayChangeDisk } from '../support/disk-changes.ts';
import { plannedFault } from '../support/programs/planned-fault.ts';

const own = process.argv.filter((word) => /^--(kill|throw|gc|plan|pack)=/.test(word));
process.argv = process.argv.filter((word) => !own.includes(word));

for (const word of own) {
  const [, what = '', value = ''] = /^--(kill|throw|gc|plan|pack)=(.*)$/.exec(word) ?? [];
  if (what === 'kill') {
    const [at = '0', arm = '', count = '', match = ''] = value.split(':');
    const pattern = new RegExp(match);
    const isWanted: (call: string, target: string, option: unknown) => boolean =
      match === 'changes'
        ? (call, _target, option) => mayChangeDisk(call, option)
        : (call, target) => pattern.test(`${call} ${target}`);
    let calls = 0;
    let isArmed = false;
    installFault((call, target, option) => {
      isArmed ||= existsSync(arm);
      if (!isArmed || !isWanted(call, target, option)) return;
      calls += 1;
      if (calls === Number(at)) {
        writeFileSync(count, `${calls} ${call} ${target}\n`, { flag: 'a' });
        process.kill(process.pid, 'SIGKILL');
      } else if (Number(at) === 0) {
        writeFileSync(count, `${calls} ${call} ${target}\n`, { flag: 'a' });
      }
    });
  } else if (what === 'plan') {
    installFault(plannedFault(value));
  } else if (what === 'pack') {
    Object.assign(packingLimits, { checkpointsMax: Number(value), looseMin: 1, looseRefsMin: 1 });
  } else if (what === 'gc') {
    setInterval(() => {
      // The test removes the file when it has read the answer.
      if (statSync(value, { throwIfNoEntry: false })?.size !== 0) return;
      globalThis.gc?.();
      globalThis.gc?.(); // a collection frees these buffers, but the count is right only after the next collection
      const { heapUsed, external } = process.memoryUsage();
      writeFileSync(`${value}.new`, String(heapUsed + external));
      renameSync(`${value}.new`, value);
    }, 20).unref();
  } else {
    setInterval(() => {
      if (existsSync(value)) throw new Error('secret words of a defect');
    }, 20).unref();
  }
}

void runDaemon(process.argv.slice(2));
