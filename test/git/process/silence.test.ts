// If the git of a real daemon hangs or writes nonsense, only the request that needs this git fails, within ten seconds.
// Here git is a script that runs the real git without `exec`. Killing only the script would leave git running.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { processorWaitOf, withinRunningTime } from '../../../scripts/torture/answer-time.ts';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { failureOf, type WireClient } from '../../support/wire-client.ts';

/** The seconds for which a hanging git sleeps. The number also identifies the processes of this test. */
const seconds = 1_000_000 + process.pid;

/**
 * Starts a daemon whose git is a script. The script hangs while the rig has a file named `hang`, and writes nonsense
 * while the rig has a file named `rave`.
 */
function withWrapper(rig: DaemonRig): Promise<WireClient> {
  const bin = join(rig.top, 'bin');
  mkdirSync(bin);
  const real = (process.env['PATH'] ?? '').split(delimiter).find((place) => existsSync(join(place, 'git')));
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
case "$*" in *version*|*init*) ;; *)
if [ -e ${rig.top}/hang ]; then sleep ${seconds}; fi
if [ -e ${rig.top}/rave ]; then while read line; do echo "nonsense $line"; done; echo nonsense; exit 0; fi
esac
if [ -e ${rig.top}/hang-all ]; then sleep ${seconds}; fi
${real}/git "$@"
`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  return rig.start({ env: { ...rig.environment, PATH: `${bin}${delimiter}${process.env['PATH']}` } });
}

/** Returns the processes that run the rig's scripts, or that sleep for these scripts. */
function sleepers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${seconds}\0`;
    } catch {
      return false; // this process has just ended
    }
  });
}

/** Waits for an answer. Fails after ten seconds in which the daemon did not wait for a processor. */
function within10s<T>({ process }: WireClient, answer: Promise<T>): Promise<T> {
  return withinRunningTime(answer, 10_000, processorWaitOf(process.pid ?? 0));
}

test('if git hangs, a request fails within ten seconds, and the error names the git command', () =>
  withRig(async (rig) => {
    if (process.platform !== 'linux') return console.log('skipped: looks at /proc');
    const before = sleepers();
    const client = await withWrapper(rig);
    writeFileSync(join(rig.top, 'hang-all'), '');
    const opening = await within10s(client, failureOf(rig.open(client)));
    assert.is(opening.kind, 'GitFailed');
    assert.match(opening.message, /git version did not answer/);
    rmSync(join(rig.top, 'hang-all'));
    const { session } = await rig.open(client);
    rig.write('.gitignore', 'x\n'); // makes the daemon start a new git process for queries about ignore rules
    rig.write('a.txt', 'edited\n');
    writeFileSync(join(rig.top, 'hang'), '');
    for (const child of rig.children()) process.kill(Number(child.split(' ')[0]), 'SIGKILL');
    const create = await within10s(
      client,
      failureOf(client.request('checkpoint/create', { session, kind: 'turn' })),
    );
    assert.is(create.kind, 'GitFailed');
    assert.match(create.message, /did not answer/);
    rmSync(join(rig.top, 'hang'));
    const made = await client.request('checkpoint/create', { session, kind: 'turn' });
    assert.is(made.checkpoint?.tag, '1');
    assert.equal(sleepers(), before);
    assert.is((await client.close()).code, 0);
    return undefined;
  }));

test('if git writes invalid output, the request fails with GitFailed, but the daemon continues', () =>
  withRig(async (rig) => {
    const client = await withWrapper(rig);
    const { session } = await rig.open(client);
    writeFileSync(join(rig.top, 'rave'), '');
    for (let round = 0; round < 3; round += 1) {
      rig.write('a.txt', `round ${round}\n`);
      rig.write('.gitignore', `${round}\n`); // makes the daemon start a new git process for queries about ignore rules
      for (const child of rig.children()) process.kill(Number(child.split(' ')[0]), 'SIGKILL');
      const create = await failureOf(client.request('checkpoint/create', { session, kind: 'turn' }));
      assert.is(create.kind, 'GitFailed', `${create.message} ${rig.logText().slice(-3000)}`);
    }
    const other = await failureOf(rig.open(client, { conversationId: 'other' }));
    assert.is(other.kind, 'GitFailed', other.message);
    rmSync(join(rig.top, 'rave'));
    for (const child of rig.children()) process.kill(Number(child.split(' ')[0]), 'SIGKILL');
    const made = await client.request('checkpoint/create', { session, kind: 'turn' });
    assert.is(made.checkpoint?.tag, '1');
    const restored = await client.request('checkpoint/restore', {
      session,
      tag: '0',
      mode: 'hard',
      confirm: true,
    });
    assert.equal(restored.failed, []);
    assert.is(rig.read('a.txt'), 'a\n');
    assert.is((await client.close()).code, 0);
  }));

test.run();
