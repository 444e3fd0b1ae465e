// The suite of all strategies on `shadow`, each of its properties on a hundred inputs.
import { shadowSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', shadowSuite.open, shadowSuite.hooks);
