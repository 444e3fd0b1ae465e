// The cross-strategy property, as often as fits into the time of every day; cross.long.ts has the hundred.
import { test } from 'uvu';
import { crossStrategies } from './rigs/cross.ts';

crossStrategies(test, 5);
test.run();
