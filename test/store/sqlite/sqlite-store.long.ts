// Tests the specified properties of a store on `sqlite`, with a hundred inputs each.
import { loseBlob, openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { storePropertySuite } from '../suite.ts';

storePropertySuite('sqlite', openSqlite, { afterwards: sqliteAfterwards, lose: loseBlob });
