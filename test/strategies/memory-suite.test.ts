// The conformance suite of all strategies runs on a fourth strategy, which was added by the recipe in src/README.md.
import { storeSuite } from '../store/suite.ts';
import { storeOptions } from '../support/git-oracle.ts';
import { memoryDriver } from '../support/stores/memory-strategy.ts';

storeSuite('memory', (directory) => memoryDriver.open(storeOptions(directory)));
