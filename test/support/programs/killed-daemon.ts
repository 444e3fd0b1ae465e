// A daemon that kills itself. From the first call that matches the pattern on, it counts the calls that may change the
// disk, and at the n-th such call it sends itself SIGKILL. `killed-daemon.js PATTERN N [FLAGS]`.
import { installFault } from '../../../src/base/seam.ts';
import { mayChangeDisk } from '../disk-changes.ts';

const [pattern = '', n = '1'] = process.argv.splice(2, 2);
const trigger = new RegExp(pattern);
let changes = 0;
installFault((call, target, option) => {
  if (!mayChangeDisk(call, option) || (changes === 0 && !trigger.test(`${call} ${target}`))) return;
  changes += 1;
  if (changes === Number(n)) process.kill(process.pid, 'SIGKILL');
});
await import('../../../src/main.ts');
