// Random walks through edits, checkpoints, restores, undo and redo under all strategies.
import { test } from 'uvu';
import { checkPropertyAsync } from '../support/property.ts';
import { randomRestores, walks } from './rigs/random-restores.ts';
import { ThreeSessions } from './rigs/three-sessions.ts';

test('no walk through edits, checkpoints, restores, undo and redo loses or invents a byte (O16, Q25, R12)', async () => {
  const three = new ThreeSessions();
  try {
    await checkPropertyAsync(walks(10), (steps) => randomRestores(three, steps), 60);
  } finally {
    await three.close();
  }
});
test.run();
