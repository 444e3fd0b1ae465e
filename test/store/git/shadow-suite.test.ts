import { shadowSuite } from '../../support/stores/git-suites.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', shadowSuite.open, { ...shadowSuite.hooks, runs: 40 }); // the rest of a hundred runs: git-store.long.ts
