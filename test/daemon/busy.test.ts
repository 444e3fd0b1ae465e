// Ends the daemon while it is busy: in a create, in a restore, or with a git process that does not end or ignores
// signals.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { processorWaitOf, withinRunningTime } from '../../scripts/torture/answer-time.ts';
import { type DaemonRig, fsck, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { testProgram } from '../support/wire-client.ts';

const faultyMain = testProgram('faulty-daemon');
const keep = { retention: 'keep' } as const;
const many = 450;

function writeMany(rig: DaemonRig, content: string): void {
  for (let file = 0; file < many; file += 1) rig.write(`many/${file % 30}/${file}`, `${content} ${file}\n`);
}

for (const end of ['shutdown', 'SIGTERM', 'end of input'] as const) {
  test(`after ${end} during a create, the new tag has a complete checkpoint or does not exist (F100)`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened(keep);
      writeMany(rig, 'one');
      const answers: string[] = [];
      const create = client.send('checkpoint/create', { session, kind: 'turn' });
      const answered = create.answer.then(
        () => answers.push('made'),
        (error: unknown) => answers.push(error instanceof Error ? error.name : 'failed'),
      );
      await new Promise((resolve) => setTimeout(resolve, 30));
      if (end === 'shutdown') assert.is((await client.close()).code, 0);
      else if (end === 'SIGTERM') client.process.kill('SIGTERM');
      else client.process.stdin.end();
      await client.exit();
      await answered;
      assert.equal(rig.children(), []);
      const next = await rig.opened(keep);
      const { checkpoints } = await next.client.request('checkpoint/list', { session });
      const isMade = checkpoints.some(({ tag }) => tag === '1');
      if (answers[0] === 'made') assert.ok(isMade, 'answered, so it is there');
      if (isMade) {
        const { fileCount } = await next.client.request('checkpoint/files', { session, tag: '1', limit: 1 });
        assert.is(fileCount, many + 2);
      }
      assert.is(fsck(rig.shadow(session)), '');
    }));

  test(`after ${end} during a restore, the daemon or the next opening finishes the restore (F100)`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened(keep);
      writeMany(rig, 'one');
      await client.request('checkpoint/create', { session, kind: 'turn' });
      writeMany(rig, 'two');
      const intent = join(rig.shadow(session), 'checkpointd', 'restore.json');
      const restore = client.send('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      const answered = restore.answer.catch(() => undefined);
      await until('the restore has begun to write', () => existsSync(intent));
      if (end === 'shutdown') assert.is((await client.close()).code, 0);
      else if (end === 'SIGTERM') client.process.kill('SIGTERM');
      else client.process.stdin.end();
      await client.exit();
      await answered;
      const next = await rig.opened(keep);
      const contents = new Set(
        Array.from({ length: many }, (_, file) => rig.read(`many/${file % 30}/${file}`)?.split(' ')[0]),
      );
      assert.is(contents.size, 1, `half and half: ${[...contents].join(', ')}`);
      assert.equal(rig.leftovers(), []);
      assert.not.ok(existsSync(intent));
      assert.is((await next.client.close()).code, 0);
    }));
}

/** Makes a directory for PATH with a git that sleeps in `repack`. If `isDeaf` is true, this git ignores SIGTERM. */
function slowGit(rig: DaemonRig, isDeaf: boolean): string {
  const bin = join(rig.top, 'bin');
  mkdirSync(bin);
  const deaf = isDeaf ? "trap '' TERM;" : '';
  const words = `for word; do case $word in repack|prune) ${deaf} echo > ${rig.top}/at-work; exec sleep 60;; esac; done`;
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${words}\nexec /usr/bin/git "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

for (const [name, isDeaf, msMax, end, code] of [
  ['SIGTERM', false, 15_000, 'SIGTERM', 143],
  ['end of input', false, 15_000, 'end', 1],
  ['SIGTERM to a daemon whose git ignores SIGTERM', true, 15_000, 'SIGTERM', 143],
] as const) {
  test(`${name} ends the daemon in time even if git is running, and leaves no git process behind`, () =>
    withRig(async (rig) => {
      const bin = slowGit(rig, isDeaf);
      const env = { ...rig.environment, PATH: `${bin}:${process.env['PATH']}` };
      const { client, session } = await rig.opened({}, { env });
      await until('the watcher is live', async () => {
        const { watcher } = await client.request('session/get', { session });
        return watcher.watchedDirectories > 0;
      });
      client.send('store/gc', { session }).answer.catch(() => undefined);
      await until('git is at work', () => existsSync(join(rig.top, 'at-work')));
      const started = performance.now();
      if (end === 'end') client.process.stdin.end();
      else client.process.kill(end);
      assert.is((await client.exit()).code, code);
      const took = performance.now() - started;
      assert.ok(took < msMax, `after ${took} ms`);
      await until('git has ended', () => rig.processes().length === 0);
      assert.equal(rig.sessions(), []);
    }));
}

test('shutdown and exit are quick even during a long restore, and the next opening finishes the restore', () =>
  withRig(async (rig) => {
    const first = await rig.opened(
      {},
      { command: [process.execPath, faultyMain], args: ['--fault=replaceSlow'] },
    );
    const { client, session } = first;
    const files = 300; // each file takes 25 ms, so the restore takes more than seven seconds
    const expected = new Map<string, string>();
    for (let file = 0; file < files; file += 1) {
      expected.set(`many/${file}`, `one ${file}\n`);
      rig.write(`many/${file}`, `one ${file}\n`);
    }
    await client.request('checkpoint/create', { session, kind: 'turn' });
    for (let file = 0; file < files; file += 1) rig.write(`many/${file}`, `two ${file}\n`);
    const restore = client.send('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    const unanswered = restore.answer.catch(() => undefined);
    const restored = (): number => [...expected].filter(([path, text]) => rig.read(path) === text).length;
    await until('the restore has begun to write', () => restored() > 3);
    const waitedMs = processorWaitOf(client.process.pid ?? 0);
    await withinRunningTime(client.request('shutdown', {}), 1000, waitedMs);
    client.notify('exit');
    assert.is((await withinRunningTime(client.exited, 2000, waitedMs)).code, 0);
    await unanswered;
    assert.ok(restored() < files, 'it was the middle of the restore');
    for (const [path, text] of expected)
      assert.ok([text, text.replace('one', 'two')].includes(rig.read(path) ?? ''), `${path} is whole`);
    assert.equal(rig.sessions(), [session], 'an orphan');
    assert.equal(rig.children(), []);
    const next = await rig.start();
    const { resumed, recovered } = await rig.open(next);
    assert.is(resumed, true);
    assert.ok(recovered !== undefined, 'the opening finished it');
    assert.is(restored(), files);
    assert.equal(rig.leftovers(), []);
  }));

test.run();
