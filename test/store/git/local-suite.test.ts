// Runs the suite for all strategies on `local`. Publishing in `local` is slow. Therefore each property has only ten
// inputs here, and local-suite.long.ts has a hundred.
import { localSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('local', localSuite.open, localSuite.hooks, 10);
