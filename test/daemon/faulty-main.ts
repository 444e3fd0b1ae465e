// The daemon with a fault installed, for tests that kill it at a chosen call or make it fail: the same main.ts, with
// the seam's fault set before it. The shipped daemon has no such switch.
//
//   faulty-main.js --kill=N:ARM:COUNT …   SIGKILL at the N-th seam call after the file ARM exists; counts into COUNT
//   faulty-main.js --throw=FILE …         throws outside of any request once FILE exists
import { existsSync, writeFileSync } from 'node:fs';
import { installFault } from '../../src/base/seam.ts';

const own = process.argv.filter((word) => /^--(kill|throw)=/.test(word));
process.argv = process.argv.filter((word) => !own.includes(word));

for (const word of own) {
  const [, what = '', value = ''] = /^--(kill|throw)=(.*)$/.exec(word) ?? [];
  if (what === 'kill') {
    const [at = '0', arm = '', count = ''] = value.split(':');
    let calls = 0;
    installFault((call, target) => {
      if (calls === 0 && !existsSync(arm)) return;
      calls += 1;
      if (calls === Number(at)) {
        writeFileSync(count, `${calls} ${call} ${target}\n`, { flag: 'a' });
        process.kill(process.pid, 'SIGKILL');
      } else if (Number(at) === 0) {
        writeFileSync(count, `${calls} ${call} ${target}\n`, { flag: 'a' });
      }
    });
  } else {
    setInterval(() => {
      if (existsSync(value)) throw new Error('secret words of a defect');
    }, 20).unref();
  }
}

await import('../../src/main.ts');
