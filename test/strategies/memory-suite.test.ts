// Runs the suite for all strategies on a fourth strategy, which is added by the recipe in src/README.md. No user's data
// depends on this strategy, so each property has only twenty inputs.
import { storeSuite } from '../store/suite.ts';
import { storeOptions } from '../support/git-oracle.ts';
import { memoryDriver } from '../support/stores/memory-strategy.ts';

storeSuite('memory', (directory) => memoryDriver.open(storeOptions(directory)), {}, 20);
