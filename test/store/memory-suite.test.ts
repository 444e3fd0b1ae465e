// A fourth strategy as src/README.md tells how to add one: the conformance suite of all strategies runs on it.

import { storeOptions } from '../support/git-oracle.ts';
import { memoryDriver } from '../support/memory-strategy.ts';
import { storeSuite } from './suite.ts';

storeSuite('memory', (directory) => memoryDriver.open(storeOptions(directory)));
