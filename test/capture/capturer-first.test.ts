import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localDriver, shadowDriver } from '../../src/store/strategies.ts';
import { contents, git, inTemporary, storeOptions } from '../support/git-oracle.ts';

const program = fileURLToPath(new URL('../support/programs/killed-capture.js', import.meta.url));
const kills = Number(process.env['RUNS'] ?? 3);

const run = (strategy: string, directory: string, at: number): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [program, strategy, directory, String(at)], { encoding: 'utf8' });

function makePlaces(directory: string): void {
  for (const name of ['session', 'work']) mkdirSync(join(directory, name));
  git(join(directory, 'work'), 'init', '-q');
}

/** Returns the temporary, lock and keep files at any depth below an object directory. */
function unfinished(objects: string): string[] {
  if (!existsSync(objects)) return [];
  const names = readdirSync(objects, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /(?:^|\/)(?:\.?tmp|.*\.lock$|.*\.keep$)/.test(name));
}

for (const driver of [shadowDriver, localDriver]) {
  test(`${driver.name}: if a first capture is killed at any call, the next opening removes all files of the capture (F85)`, async () => {
    let calls = 0;
    await inTemporary(async (directory) => {
      makePlaces(directory);
      const whole = run(driver.name, directory, 0);
      calls = Number(whole.stdout);
      assert.ok(calls > 10, whole.stderr);
    });
    // A second run may make slightly fewer calls, because the number of reads of the clock depends on the time.
    const last = Math.floor(calls * 0.95);
    for (let kill = 0; kill < kills; kill += 1) {
      const at = 1 + Math.round((kill * (last - 1)) / (kills - 1));
      await inTemporary(async (directory) => {
        makePlaces(directory);
        assert.is(run(driver.name, directory, at).signal, 'SIGKILL', `at call ${at}`);
        const gitDirectory = join(directory, 'work', '.git');
        const store = await driver.open(storeOptions(directory, { gitDirectory }));
        for (const objects of ['session/objects', 'session/local/incoming', 'session/local/kept']) {
          assert.equal(unfinished(join(directory, objects)), [], `at call ${at}`);
        }
        assert.equal(readdirSync(store.spoolDirectory), []);
        assert.equal(await store.verify(), []);
        const [made] = await store.checkpoints();
        if (made !== undefined) {
          assert.is(Object.keys(await contents(store, made.record.snapshot)).length, 400);
        }
        await store.close();
        // The next capture is complete even if the killed capture left files.
        const again = run(driver.name, directory, 0);
        assert.is(again.status, 0, again.stderr);
        const reopened = await driver.open(storeOptions(directory, { gitDirectory }));
        assert.equal(await reopened.verify(), []);
        await reopened.close();
        git(join(directory, 'work'), 'fsck', '--strict', '--full');
      });
    }
  });
}

test.run();
