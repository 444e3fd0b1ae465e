// Eight processes make 500 checkpoints each in one database.
import { test } from 'uvu';
import { crowd } from '../../support/stores/sqlite-crowd.ts';

test('eight processes can publish 500 checkpoints each into one database without loss, mix-up or error (O24)', async () => {
  await crowd(8, 500);
});

test.run();
