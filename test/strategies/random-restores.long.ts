// Random walks through edits, checkpoints, restores, undo and redo under all strategies.
import { test } from 'uvu';
import { checkPropertyAsync } from '../support/property.ts';
import { walks, wander } from './rigs/random-restores.ts';
import { Threefold } from './rigs/three-sessions.ts';

test('no walk through edits, checkpoints, restores, undo and redo loses or invents a byte (O16, Q25, R12)', async () => {
  const three = new Threefold();
  try {
    await checkPropertyAsync(walks(10), (steps) => wander(three, steps), 60);
  } finally {
    await three.close();
  }
});
test.run();
