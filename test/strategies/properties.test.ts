// The seven specified properties over the whole daemon, a few runs of each; properties.long.ts has more.
import { test } from 'uvu';
import { daemonProperties } from './rigs/daemon-properties.ts';

daemonProperties(test, 2);
test.run();
