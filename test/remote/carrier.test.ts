// Tests that the client gets the reason when a host refuses a push. The remotes are local paths here; carrier.long.ts
// uses ssh and https.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { Carrier } from '../../src/remote/carrier.ts';
import { parseRemoteUrl } from '../../src/remote/remote-url.ts';
import { TravelObjects } from '../../src/remote/travel-objects.ts';
import { failure } from '../support/failures.ts';
import { bareRepository, Machine } from '../support/machines.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const test = suite('refusing hosts');

function configure(remote: string, key: string, value: string): void {
  execFileSync('git', ['config', key, value], { cwd: remote });
}

async function withMachine(remote: string, work: (machine: Machine) => Promise<void>): Promise<void> {
  const machine = await Machine.make(remote);
  try {
    await machine.open();
    await work(machine);
  } finally {
    await machine.close();
  }
}

async function refusal(machine: Machine): Promise<CheckpointdError> {
  const error = await machine.push().catch((reason: unknown) => reason);
  assert.ok(error instanceof CheckpointdError && error.kind === 'RemoteRefused', String(error));
  return error;
}

test('if a host accepts only branches, the daemon uses branches, reports this, and remembers the choice', async () => {
  const remote = bareRepository();
  configure(remote, 'receive.hideRefs', 'refs/checkpointd');
  await withMachine(remote, async (machine) => {
    const pushed = await machine.push();
    assert.match(pushed.ref, /^refs\/heads\/checkpointd\/ses_/);
    assert.match(pushed.warnings?.[0] ?? '', /accepts only branches/);
    const { remotes } = await machine.daemon.call('remote/list', {});
    assert.equal(
      remotes.map(({ refs }) => refs),
      ['heads'],
    );
    machine.write('a.txt', 'next\n');
    await machine.turn('next');
    const next = await machine.push();
    assert.equal([next.ref, next.pushed, next.warnings], [pushed.ref, true, undefined]);
    const laptop = await Machine.make(remote);
    assert.is((await laptop.import(pushed.session)).checkpoints, 2);
    await laptop.daemon.call('remote/delete', { remote: 'team', session: pushed.session });
    assert.is((await refusal(machine)).details?.['reason'], 'deleted');
    await laptop.close();
  });
});

test('if a hook declines a push, the error quotes the hook’s message, and the next push succeeds', async () => {
  const remote = bareRepository();
  const hook = join(remote, 'hooks', 'pre-receive');
  writeFileSync(hook, '#!/bin/sh\necho "no pushes on Fridays" >&2\nexit 1\n');
  chmodSync(hook, 0o755);
  await withMachine(remote, async (machine) => {
    const error = await refusal(machine);
    assert.is(error.details?.['reason'], 'hook');
    assert.match(String(error.details?.['said']), /no pushes on Fridays/);
    assert.match(error.message, /The host said: no pushes on Fridays$/);
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    assert.is((await machine.push()).pushed, true);
  });
});

for (const [words, kind, message] of [
  ['ssh: Could not resolve hostname h: Name or service not known', 'RemoteUnreachable', /hostname h: Name/],
  ['me@h: Permission denied (publickey).', 'RemoteRefused', /ssh agent.*Permission denied \(publickey\)/],
  ["fatal: '/x.git' does not appear to be a git repository", 'RemoteRefused', /said: fatal: '\/x\.git' does/],
  ["fatal: detected dubious ownership in repository at '/x.git'", 'RemoteRefused', /safe\.directory/],
] as const) {
  test(`the error of a failed connection quotes its cause: ${words}`, async () => {
    const directory = temporaryDirectory('ssh');
    const [ssh, config] = [join(directory, 'ssh'), join(directory, 'config')];
    writeFileSync(ssh, `#!/bin/sh\ncat >&2 <<'END'\n${words}\nEND\nexit 255\n`, { mode: 0o755 });
    writeFileSync(config, `[core]\n\tsshCommand = ${ssh}\n`);
    const before = process.env['GIT_CONFIG_GLOBAL'];
    process.env['GIT_CONFIG_GLOBAL'] = config;
    try {
      const objects = await TravelObjects.open(temporaryDirectory('lines'));
      const refused = await failure(new Carrier(objects.gitDir, parseRemoteUrl('ssh://h/x.git')).list());
      assert.is(refused.kind, kind);
      assert.match(refused.message, message);
      await objects.close();
    } finally {
      if (before === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = before;
    }
  });
}

test('if the daemon has no permission to write to the remote, the error says so', async () => {
  const remote = bareRepository();
  const hook = join(remote, 'hooks', 'pre-receive');
  // Root may write everywhere. Therefore a hook prints git's message about a missing write permission.
  writeFileSync(hook, '#!/bin/sh\necho "error: insufficient permission for adding an object" >&2\nexit 1\n');
  chmodSync(hook, 0o755);
  await withMachine(remote, async (machine) => {
    const error = await refusal(machine);
    assert.is(error.details?.['reason'], 'readOnly');
    assert.match(error.message, /right to write/);
  });
});

test('if the host refuses large packs, the error of the push says so', async () => {
  const remote = bareRepository();
  configure(remote, 'receive.maxInputSize', '1k');
  await withMachine(remote, async (machine) => {
    machine.write('large.bin', [...Array(5000).keys()].map((i) => (i * 7919) % 99_991).join(' '));
    await machine.turn('large');
    assert.is((await refusal(machine)).details?.['reason'], 'size');
    configure(remote, 'receive.maxInputSize', '0');
    assert.is((await machine.push()).checkpoints, 2);
  });
});

test('a remote that sends more than the limit is refused, and none of its data is kept', async () => {
  const remote = bareRepository();
  const git = (args: readonly string[], input: string | Buffer = ''): string =>
    execFileSync('git', args, { cwd: remote, input, encoding: 'utf8' }).trim();
  const blob = git(['hash-object', '-w', '--stdin'], randomBytes(3 << 20));
  const tree = git(['mktree'], `100644 blob ${blob}\tlarge\n`);
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  git(['update-ref', 'refs/heads/large', git([...who, 'commit-tree', tree, '-m', 'large'])]);
  const objects = await TravelObjects.open(temporaryDirectory('lines'));
  const carrier = new Carrier(objects.gitDir, parseRemoteUrl(remote));
  const refspecs = ['+refs/heads/large:refs/incoming/large'];
  const refused = await failure(carrier.fetch({ refspecs, bytesMax: 1 << 20 }));
  assert.is(refused.kind, 'RemoteCorrupt');
  assert.match(refused.message, /more than the limit of 1048576 bytes/);
  await carrier.fetch({ refspecs, bytesMax: 4 << 20 });
  assert.is((await objects.refsBelow('refs/incoming/')).size, 1);
  await objects.close();
});

test('if the host refuses a push because of too many requests, the daemon repeats the push later, even without a new turn', async () => {
  const remote = bareRepository();
  const hook = join(remote, 'hooks', 'pre-receive');
  writeFileSync(hook, '#!/bin/sh\necho "Too many requests" >&2\nexit 1\n');
  chmodSync(hook, 0o755);
  await withMachine(remote, async (machine) => {
    const error = await refusal(machine);
    assert.equal([error.details?.['reason'], error.retryable], ['rate', true]);
    await machine.open({ remote: 'team', push: 'turn' });
    const pushes = (): unknown[] =>
      machine.daemon.told.flatMap(({ method, params }) =>
        method === 'remote/didPush' ? [(params as { readonly pushed: boolean }).pushed] : [],
      );
    await until('the host refuses', () => pushes().length === 1);
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    await until('the push is repeated', () => pushes().length === 2);
    assert.equal(pushes(), [false, true]);
  });
});

test('after the remote was emptied, the next push sends all checkpoints of the session again', async () => {
  const remote = bareRepository();
  await withMachine(remote, async (machine) => {
    const first = await machine.push();
    execFileSync('git', ['update-ref', '-d', first.ref], { cwd: remote });
    const again = await machine.push();
    assert.equal([again.writer, again.ref, again.head], [first.writer, first.ref, first.head]);
    assert.is((await machine.daemon.call('remote/sessions', { remote: 'team' })).lines.length, 1);
  });
});

test('a push succeeds even if the remote was reset to an earlier checkpoint of the session', async () => {
  const remote = bareRepository();
  await withMachine(remote, async (machine) => {
    const first = await machine.push();
    machine.write('a.txt', 'next\n');
    await machine.turn('next');
    const second = await machine.push();
    execFileSync('git', ['update-ref', second.ref, first.head], { cwd: remote });
    machine.write('a.txt', 'last\n');
    await machine.turn('last');
    const third = await machine.push();
    assert.equal([third.writer, third.checkpoints, third.warnings], [first.writer, 3, undefined]);
  });
});

test('cancelling a push has no effect on the session', async () => {
  const remote = bareRepository();
  await withMachine(remote, async (machine) => {
    const signal = AbortSignal.abort();
    const params = { remote: 'team', session: machine.session };
    const error = await machine.daemon
      .call('remote/push', params, { signal })
      .catch((reason: unknown) => reason);
    assert.is(error instanceof Error && error.name, 'AbortError');
    assert.is((await machine.push()).pushed, true);
  });
});

test.run();
