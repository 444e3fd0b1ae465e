// Runs the suite for all strategies on `sqlite`. All other tests in this directory check what only `sqlite` promises.
import { loseBlob, openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { storeSuite } from '../suite.ts';

storeSuite('sqlite', openSqlite, { afterwards: sqliteAfterwards, lose: loseBlob });
