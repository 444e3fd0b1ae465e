// The suite of all strategies on `shadow`, its properties on a few inputs: shadow-suite.long.ts takes a hundred.
import { shadowSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', shadowSuite.open, { ...shadowSuite.hooks, inputs: 20 });
