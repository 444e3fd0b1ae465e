// Tests the contract of store/snapshot-store.ts for every strategy. The test file of a strategy only calls storeSuite
// with a function that opens its store. Each part of the suite is in a separate file. suite-properties.ts has the seven
// specified properties. If only one strategy makes a promise, the tests of this strategy check the promise.
import { suite } from 'uvu';
import { type OpenStore, type Rig, type SuiteHooks, withStore } from '../support/stores/store-rig.ts';
import { checkpointTests } from './suite-checkpoints.ts';
import { contentTests } from './suite-contents.ts';
import { storeProperties } from './suite-properties.ts';
import { snapshotTests } from './suite-snapshots.ts';
import { sweepTests } from './suite-sweeps.ts';

/** Runs the whole suite for one strategy, with `runs` inputs for each property. */
export function storeSuite(name: string, open: OpenStore, hooks: SuiteHooks = {}, runs = 100): void {
  const test = suite(name);
  const check = (title: string, body: (rig: Rig) => Promise<void>): void => {
    test(title, () => withStore(open, hooks, body));
  };
  snapshotTests(check);
  contentTests(check);
  checkpointTests(check);
  sweepTests(check, hooks);
  storeProperties(check, hooks, runs);
  test.run();
}

/** Runs only the specified properties for one strategy, with a hundred inputs each. */
export function storePropertySuite(name: string, open: OpenStore, hooks: SuiteHooks): void {
  const test = suite(name);
  storeProperties((title, body) => {
    test(title, () => withStore(open, hooks, body));
  }, hooks);
  test.run();
}
