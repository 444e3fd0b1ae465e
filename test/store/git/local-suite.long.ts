// The suite of all strategies on `local`, each of its properties on a hundred inputs.
import { localSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('local', localSuite.open, localSuite.hooks);
