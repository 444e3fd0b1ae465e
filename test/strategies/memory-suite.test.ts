// A fourth strategy as src/README.md tells how to add one: the conformance suite of all strategies runs on it.
import { storeSuite } from '../store/suite.ts';
import { storeOptions } from '../support/git-oracle.ts';
import { memoryDriver } from '../support/stores/memory-strategy.ts';

storeSuite('memory', (directory) => memoryDriver.open(storeOptions(directory)));
