// Every call of a restore fails, or is the last call of a process.
import { test } from 'uvu';
import { testFaults } from './restorer-faults.ts';

process.umask(0o022);

// One line of code handles all codes of a kind, so each call fails once with each kind, and sometimes with every
// code.
testFaults({ EIO: 1, EACCES: 2, ENOSPC: 7, EMFILE: 11, EROFS: 11, EDQUOT: 13 }, 1);

test.run();
