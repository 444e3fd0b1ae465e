// The strategy `sqlite` under the contract of all strategies. Its own promises are in the other tests beside this
// one.
import { loseBlob, openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { storeSuite } from '../suite.ts';

storeSuite('sqlite', openSqlite, { afterwards: sqliteAfterwards, lose: loseBlob });
