// Runs the suite for all strategies on `sqlite`. Each property has only twenty inputs here, and sqlite-store.long.ts has
// a hundred. All other tests in this directory check what only `sqlite` promises.
import { loseBlob, openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { storeSuite } from '../suite.ts';

storeSuite('sqlite', openSqlite, { afterwards: sqliteAfterwards, lose: loseBlob }, 20);
