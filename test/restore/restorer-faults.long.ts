// Every call of a restore fails, and every call is the last one.
import { test } from 'uvu';
import { testFaults } from './restorer-faults.ts';

process.umask(0o022);

// Codes of one sort are handled by one line, so each call fails in every way once, and in all of them now and then.
testFaults({ EIO: 1, EACCES: 2, ENOSPC: 7, EMFILE: 11, EROFS: 11, EDQUOT: 13 }, 1);

test.run();
