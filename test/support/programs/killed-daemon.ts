// A daemon that kills itself. From the first call whose target matches the pattern on, it counts its calls to the
// system, and at the n-th call it sends itself SIGKILL. `killed-daemon.js PATTERN N [FLAGS]`.
import { installFault } from '../../../src/base/seam.ts';

const [pattern = '', n = '1'] = process.argv.splice(2, 2);
const trigger = new RegExp(pattern);
let calls = 0;
installFault((call, target) => {
  if (calls === 0 && !trigger.test(`${call} ${target}`)) return;
  calls += 1;
  if (calls === Number(n)) process.kill(process.pid, 'SIGKILL');
});
await import('../../../src/main.ts');
