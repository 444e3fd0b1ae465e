// The thread of the directories that captures hold: started anew when it fails, and gone when its owner is closed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../../src/base/log.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';
import { HeldWatch } from '../../../src/watch/held/held-watch.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

const test = suite('held watch');

test('its end waits for a thread that was given up before, too', async () => {
  const fenceDirectory = join(temporaryDirectory('fence'), 'fence');
  const held = new HeldWatch({ root: temporaryDirectory('work'), fenceDirectory, log: silentLog });
  const alive = setInterval(() => undefined, 1000); // a watch keeps no process alive
  const terminate = Reflect.get<Worker, 'terminate'>(Worker.prototype, 'terminate');
  let isEnding = false;
  let end: () => void = () => undefined;
  Worker.prototype.terminate = async function terminated(this: Worker) {
    isEnding = true;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    const code = await terminate.call(this);
    isEnding = false;
    return code;
  };
  try {
    held.start();
    await until('the watch is up', () => held.isReady);
    rmSync(fenceDirectory, { recursive: true });
    assert.not(await held.fence());
    assert.ok(isEnding, 'the thread without a fence was given up');
    let isClosed = false;
    const closed = held.close().then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.not(isClosed, 'the thread has not ended');
    end();
    await closed;
    assert.not(isEnding);
  } finally {
    Worker.prototype.terminate = terminate;
    clearInterval(alive);
    end();
    await held.close();
  }
});

test('to hold very many directories does not stop the thread, so nothing that changes meanwhile is lost', async () => {
  const fenceDirectory = join(temporaryDirectory('fence'), 'fence');
  const held = new HeldWatch({ root: temporaryDirectory('work'), fenceDirectory, log: silentLog });
  const alive = setInterval(() => undefined, 1000); // a watch keeps no process alive
  try {
    held.start();
    await until('the watch is up', () => held.isReady);
    // Those that are not there take as long as others, and nobody has to make them.
    const paths = ['', ...Array.from({ length: 200_000 }, (_, i) => `gone-${i}`)] as TreePath[];
    let isWhole = false;
    for (let tries = 0; tries < 3 && !isWhole; tries += 1) {
      const { position } = held.changes;
      assert.is((await held.hold(paths)).length, 200_000);
      await sleep(1000); // what notices that a loop stood still looks every 200 ms
      isWhole = held.changes.isWholeSince(position);
    }
    assert.ok(isWhole, 'the loop stood still, and what changed meanwhile is not known');
  } finally {
    clearInterval(alive);
    await held.close();
  }
});

test.run();
