// Eight daemons on one database, 500 checkpoints each.
import { test } from 'uvu';
import { crowd } from '../../support/stores/sqlite-crowd.ts';

test('eight processes publish 500 checkpoints each: none lost, none mixed, no error (O24)', async () => {
  await crowd(8, 500);
});

test.run();
