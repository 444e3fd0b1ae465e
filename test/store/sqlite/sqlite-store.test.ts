// The strategy `sqlite` under the contract of all strategies. What only it promises is in the other tests beside it.
import { loseBlob, openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { storeSuite } from '../suite.ts';

storeSuite('sqlite', openSqlite, { afterwards: sqliteAfterwards, lose: loseBlob });
