// For each call of a restore, makes the call fail or kills the process at the call.
import { test } from 'uvu';
import { testFaults } from './restorer-faults.ts';

process.umask(0o022);

// In the restorer, one line handles all error codes of a kind. Therefore each call fails once with each kind, and only
// some calls fail with every code.
testFaults({ EIO: 1, EACCES: 2, ENOSPC: 7, EMFILE: 11, EROFS: 11, EDQUOT: 13 }, 1);

test.run();
