// Runs the suite for all strategies on `local`.
import { localSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('local', localSuite.open, localSuite.hooks);
