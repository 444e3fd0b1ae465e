// Tests the limits on age and size over the wire, for the strategies that wire-limits.test.ts leaves out.
import { test } from 'uvu';
import { testsAgeLimit, testsSizeLimit } from './wire-limits.ts';

for (const strategy of ['shadow', 'local']) {
  testsAgeLimit(strategy);
  testsSizeLimit(strategy);
}

test.run();
