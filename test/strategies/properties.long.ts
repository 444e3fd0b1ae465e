// The seven properties of 003 over the whole daemon, a hundred runs of each.
import { test } from 'uvu';
import { daemonProperties } from './daemon-properties.ts';

daemonProperties(test, 100);
test.run();
