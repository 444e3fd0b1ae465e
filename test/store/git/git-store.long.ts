// The suite of all strategies for the two of git, each of its properties at a hundred runs.
import { localSuite, shadowSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', shadowSuite.open, shadowSuite.hooks);
storeSuite('local', localSuite.open, localSuite.hooks);
