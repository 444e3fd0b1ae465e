// Tests the specified properties of a store on `local`, with a hundred inputs each.
import { suite } from 'uvu';
import { localSuite } from '../../support/stores/git-suites.ts';
import { withStore } from '../../support/stores/store-rig.ts';
import { storeProperties } from '../suite-properties.ts';

const test = suite('local');
storeProperties((title, body) => {
  test(title, () => withStore(localSuite.open, localSuite.hooks, body));
}, localSuite.hooks);
test.run();
