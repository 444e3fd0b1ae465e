// The suite of all strategies on `local`, its properties on a few inputs: local-suite.long.ts takes a hundred.
import { localSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('local', localSuite.open, { ...localSuite.hooks, inputs: 20 });
