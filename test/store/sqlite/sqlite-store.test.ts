// Runs the suite of all strategies on `sqlite`. The tests beside this file check the additional promises of `sqlite`.
import { loseBlob, openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { storeSuite } from '../suite.ts';

storeSuite('sqlite', openSqlite, { afterwards: sqliteAfterwards, lose: loseBlob });
