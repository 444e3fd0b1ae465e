// The cross-strategy property a hundred times and more.
import { test } from 'uvu';
import { crossStrategies } from './rigs/cross.ts';

crossStrategies(test, 100);
test.run();
