// Injects errors into a sample of a restore's calls, and kills a whole process. restorer-faults.long.ts tries every
// call.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assertOldOrNew, present, recover } from '../support/programs/restore-case.ts';
import { build, makeDirectory, remove } from '../support/trees/model-tree.ts';
import { testFaults } from './restorer-faults.ts';

process.umask(0o022);

// Each number is a multiple of the number in the long test. Therefore the long test includes every call that this test
// tries.
testFaults({ EIO: 16, EACCES: 28, ENOSPC: 70, EMFILE: 88, EROFS: 88, EDQUOT: 130 }, 20);

test('after SIGKILL at some calls of a restore, no file is half-written (F86)', async () => {
  const program = fileURLToPath(new URL('../support/programs/restore-case.js', import.meta.url));
  let killed = 0;
  for (let n = 5; n < 400; n += 37) {
    const root = makeDirectory();
    build(root, present);
    const child = spawnSync(process.execPath, [program, root, String(n)], { encoding: 'utf8' });
    if (child.signal === 'SIGKILL') killed += 1;
    else assert.is(child.status, 0, child.stderr);
    assertOldOrNew(root, `SIGKILL at call ${n}`);
    await recover(root, `SIGKILL at call ${n}`);
    remove(root);
  }
  assert.ok(killed >= 6, `only ${killed} were killed`);
});

test.run();
