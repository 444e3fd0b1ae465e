// Tests the specified properties of a store on `local`, with a hundred inputs each.
import { localSuite } from '../../support/stores/git-suites.ts';
import { storePropertySuite } from '../suite.ts';

storePropertySuite('local', localSuite.open, localSuite.hooks);
