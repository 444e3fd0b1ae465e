// Eight daemons on one database, 500 checkpoints each: the issue's own numbers, over stdio.
import { test } from 'uvu';
import { crowdOfDaemons } from './rigs/crowd.ts';

test('eight daemons make 500 checkpoints each in one database: none lost, none mixed, no error (O24)', async () => {
  const slowestMs = await crowdOfDaemons(8, Number(process.env['TURNS'] ?? 500));
  console.log(`the slowest create took ${slowestMs.toFixed(0)} ms`);
});

test.run();
