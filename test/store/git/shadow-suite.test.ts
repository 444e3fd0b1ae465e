// Runs the suite for all strategies on `shadow`.
import { shadowSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', shadowSuite.open, shadowSuite.hooks);
