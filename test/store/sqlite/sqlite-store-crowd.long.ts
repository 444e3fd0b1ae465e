// Eight processes make 500 checkpoints each in one database.
import { test } from 'uvu';
import { crowd } from '../../support/stores/sqlite-crowd.ts';

test('eight processes that publish 500 checkpoints each lose and mix up no checkpoint, and get no error (O24)', async () => {
  await crowd(8, 500);
});

test.run();
