// The seven specified properties over the whole daemon, more runs of each; the stores' own suite has the hundred.
import { test } from 'uvu';
import { daemonProperties } from './rigs/daemon-properties.ts';

daemonProperties(test, 25);
test.run();
