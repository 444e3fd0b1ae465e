// A daemon that kills itself: `killed-daemon.js PATTERN N [FLAGS]`. The daemon counts calls that may change the disk,
// beginning with the first call that matches PATTERN. At call number N the daemon sends itself SIGKILL.
import { installFault } from '../../../src/base/seam.ts';
import { runDaemon } from '../../../src/run-daemon.ts';
import { mayChangeDisk } from '../disk-changes.ts';

const [pattern = '', n = '1'] = process.argv.splice(2, 2);
const trigger = new RegExp(pattern);
let changes = 0;
installFault((call, target, option) => {
  if (!mayChangeDisk(call, option) || (changes === 0 && !trigger.test(`${call} ${target}`))) return;
  changes += 1;
  if (changes === Number(n)) process.kill(process.pid, 'SIGKILL');
});
void runDaemon(process.argv.slice(2));
