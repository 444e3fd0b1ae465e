// Runs the suite for all strategies on `shadow`. Publishing in `shadow` is slow. Therefore each property has only ten
// inputs here, and shadow-suite.long.ts has a hundred.
import { shadowSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', shadowSuite.open, shadowSuite.hooks, 10);
