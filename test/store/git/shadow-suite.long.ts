// Tests the specified properties of a store on `shadow`, with a hundred inputs each.
import { shadowSuite } from '../../support/stores/git-suites.ts';
import { storePropertySuite } from '../suite.ts';

storePropertySuite('shadow', shadowSuite.open, shadowSuite.hooks);
