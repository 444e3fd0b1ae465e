import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GitChild, takeLine } from '../../../src/git/process/child.ts';
import { inTemporary } from '../../support/git-oracle.ts';
import { kindOf } from '../../support/stores/store-rig.ts';
import { until } from '../../support/until.ts';

const ask = (child: GitChild, text: string, patienceMs?: number): Promise<string> =>
  child.ask(Buffer.from(`${text}\n`), takeLine, patienceMs);

/** Runs `body` with another program that takes the place of git. */
async function withProgram(script: string, body: (directory: string) => Promise<void>): Promise<void> {
  await inTemporary(async (directory) => {
    writeFileSync(join(directory, 'git'), `#!/bin/sh\n${script}`);
    chmodSync(join(directory, 'git'), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${directory}${delimiter}${path}`;
    try {
      await body(directory);
    } finally {
      process.env.PATH = path;
    }
  });
}

test('several queries can be sent to a git process together, and are answered in order', () =>
  withProgram('cat', async (gitDir) => {
    const child = new GitChild({ gitDir }, ['x']);
    const words = Array.from({ length: 5000 }, (_, index) => `word ${index}`);
    assert.equal(await Promise.all(words.map((word) => ask(child, word))), words);
    await child.close();
    assert.is(child.pid, undefined);
    assert.is(await kindOf(ask(child, 'late')), 'GitFailed');
  }));

test('an answer of 64 MiB with a known size is copied only once', () =>
  withProgram('read line; head -c 67108864 /dev/zero; cat', async (gitDir) => {
    const child = new GitChild({ gitDir }, ['x']);
    let looks = 0;
    const size = 64 << 20;
    const value = await child.ask(Buffer.from('go\n'), (received) => {
      looks += 1;
      return received.length < size ? size : { value: received.length, length: size };
    });
    assert.is(value, size);
    assert.is(looks, 2);
    await child.close();
  }));

test('an answer of 64 MiB with an unknown size is copied only a few times', () =>
  withProgram('read line; head -c 67108864 /dev/zero; echo; cat', async (gitDir) => {
    const child = new GitChild({ gitDir }, ['x']);
    const places = new Set<ArrayBufferLike>();
    let looks = 0;
    const value = await child.ask(Buffer.from('go\n'), (received) => {
      looks += 1;
      places.add(received.buffer);
      const isWhole = received.at(-1) === 10;
      return isWhole ? { value: received.length, length: received.length } : undefined;
    });
    assert.is(value, (64 << 20) + 1);
    assert.ok(looks > 100, `${looks} looks`);
    assert.ok(places.size < 20, `${places.size} places`);
    assert.is(await ask(child, 'and on'), 'and on');
    await child.close();
  }));

test('if a git process dies, only its own queries fail, and a harmless query is repeated once', () =>
  withProgram(
    'while read line; do case "$line" in die) exit 3;; *) echo "$line";; esac; done',
    async (gitDir) => {
      const once = new GitChild({ gitDir }, ['x']);
      const [died, behind] = [kindOf(ask(once, 'die')), kindOf(ask(once, 'behind'))];
      assert.is(await died, 'GitFailed');
      assert.is(await behind, 'GitFailed');
      assert.is(await ask(once, 'again'), 'again');
      await once.close();
      const twice = new GitChild({ gitDir }, ['x'], { replay: true });
      const answers = ['a', 'b', 'c'].map((word) => ask(twice, word));
      await answers[0];
      const later = ask(twice, 'later');
      if (twice.pid !== undefined) process.kill(twice.pid, 'SIGKILL');
      assert.equal(await Promise.all([...answers, later]), ['a', 'b', 'c', 'later']);
      assert.is(await kindOf(ask(twice, 'die')), 'GitFailed');
      await twice.close();
    },
  ));

test('a git process without queries ends after a while, and the next query starts a new git process', () =>
  withProgram('while read line; do echo "$$"; done', async (gitDir) => {
    const child = new GitChild({ gitDir }, ['x'], { restMs: 20 });
    const first = await ask(child, 'who');
    await until('the process ends', () => child.pid === undefined);
    const [second, third] = await Promise.all([ask(child, 'who'), ask(child, 'who')]);
    assert.is.not(second, first);
    assert.is(third, second);
    await child.close();
    assert.not(existsSync(`/proc/${first}`));
    assert.not(existsSync(`/proc/${second}`));
  }));

test('a git process does not end while a query is open, however long the query takes', () =>
  withProgram('read line; sleep 0.3; echo "$line"', async (gitDir) => {
    const child = new GitChild({ gitDir }, ['x'], { restMs: 20 });
    assert.is(await ask(child, 'slow'), 'slow');
    await child.close();
  }));

test('a stalled process is killed after its time limit, and a new process answers (F62)', () =>
  withProgram('while read line; do echo "$line"; done', async (gitDir) => {
    const child = new GitChild({ gitDir }, ['x'], { patienceMs: 300 });
    assert.is(await ask(child, 'one'), 'one');
    const stalled = child.pid ?? 0;
    process.kill(stalled, 'SIGSTOP');
    assert.is(await kindOf(ask(child, 'two')), 'GitFailed');
    assert.is(await ask(child, 'three', 5000), 'three');
    assert.is.not(child.pid, stalled);
    await child.close();
  }));

test('if git is missing, every query fails with GitMissing', () =>
  inTemporary(async (gitDir) => {
    const path = process.env.PATH;
    process.env.PATH = gitDir;
    try {
      const child = new GitChild({ gitDir }, ['cat-file', '--batch'], { replay: true });
      assert.equal(await Promise.all([kindOf(ask(child, 'a')), kindOf(ask(child, 'b'))]), [
        'GitMissing',
        'GitMissing',
      ]);
      await child.close();
    } finally {
      process.env.PATH = path;
    }
  }));

test.run();
