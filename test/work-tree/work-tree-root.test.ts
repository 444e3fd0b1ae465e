// While a session is open, another file system is mounted over the work tree, or the file system of the work tree is
// unmounted. The file system that is then at the path does not have the user's files. Therefore the daemon neither
// captures this file system nor writes to it. Needs root (mount) on Linux.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { makeRig } from '../support/capture-rig.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const probe = realpathSync(temporaryDirectory('mount'));
const canMount = spawnSync('mount', ['-t', 'tmpfs', 'ckpt', probe]).status === 0;
if (canMount) spawnSync('umount', [probe]);

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.is(status, 0, stderr);
}

/** Mounts a file system at the path, runs `body`, and unmounts it. */
async function mounted(root: string, how: readonly string[], body: () => Promise<void>): Promise<void> {
  run('mount', ...how, root);
  try {
    await body();
  } finally {
    spawnSync('umount', [root]);
  }
}

function whereMountable(title: string, body: () => Promise<void>): void {
  test(title, () => (canMount ? body() : Promise.resolve(console.log(`skipped: cannot mount (${title})`))));
}

async function withDaemon(body: (daemon: InProcessDaemon) => Promise<void>): Promise<void> {
  const daemon = new InProcessDaemon();
  try {
    await body(daemon);
  } finally {
    await daemon.close();
  }
}

/** Checks that every request that reads the work tree is refused, and that no file is written there. */
async function refusesAll(daemon: InProcessDaemon, session: string, root: string): Promise<void> {
  const before = readdirSync(root);
  const refused = [
    daemon.call('checkpoint/create', { session, kind: 'turn' }),
    daemon.call('checkpoint/hasChanges', { session }),
    daemon.call('checkpoint/diff', { session, from: '0' }),
    daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', dryRun: true }),
    daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' }),
  ];
  for (const error of await Promise.all(refused.map((each) => failure(each)))) {
    assert.equal([error.kind, error.effects], ['WorkTreeMissing', 'none']);
    assert.match(error.message, /The file system at .* was unmounted or replaced/);
    assert.match(error.message, /close the session and open it again/i);
  }
  assert.equal(readdirSync(root), before, 'nothing was written');
}

whereMountable(
  'while another file system is mounted over the work tree, every request that reads the work tree is refused (F43)',
  () =>
    withDaemon(async (daemon) => {
      const root = realpathSync(repository());
      const { session } = await daemon.open(root);
      writeFileSync(join(root, 'a.txt'), 'changed\n');
      await mounted(root, ['-t', 'tmpfs', 'ckpt'], () => refusesAll(daemon, session, root));
      const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
      assert.equal([checkpoint.tag, checkpoint.stats?.deleted], ['1', 0], 'the work tree is back as it was');
      const { restored } = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.equal(restored, [{ path: 'a.txt' }]);
    }),
);

whereMountable(
  'while another directory is bind-mounted over the work tree, every request that reads the work tree is refused',
  () =>
    withDaemon(async (daemon) => {
      const root = realpathSync(repository());
      const other = realpathSync(temporaryDirectory('other'));
      const { session } = await daemon.open(root);
      await mounted(root, ['--bind', other], () => refusesAll(daemon, session, root));
      await mounted(root, ['--bind', root], async () => {
        const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
        assert.is(checkpoint.stats?.deleted, 0, 'bound over itself it is what it was');
      });
      rmSync(root, { recursive: true });
      mkdirSync(root);
      await mounted(root, ['-t', 'tmpfs', 'ckpt'], () => refusesAll(daemon, session, root));
    }),
);

whereMountable('if a work tree is a mount point and is unmounted, it is reported as missing', () =>
  withDaemon(async (daemon) => {
    const root = realpathSync(temporaryDirectory('place'));
    let session = '';
    await mounted(root, ['-t', 'tmpfs', 'ckpt'], async () => {
      writeFileSync(join(root, 'f'), 'f\n');
      ({ session } = await daemon.open(root, { init: 'force' }));
    });
    assert.equal(readdirSync(root), [], 'it is unmounted although its directories are held');
    await refusesAll(daemon, session, root);
    await mounted(root, ['-t', 'tmpfs', '-o', 'size=1m', 'other'], () => refusesAll(daemon, session, root));
    await daemon.call('session/close', { session });
  }),
);

whereMountable(
  'if a file system is mounted over the work tree during a capture, the capture fails',
  async () => {
    const rig = makeRig();
    for (let i = 0; i < 300; i += 1) rig.write(`d${i}/f`, `${i}`);
    let isMounted = false;
    installFault((call, target) => {
      if (isMounted || call !== 'readdir' || !target.endsWith('/d150')) return;
      isMounted = true;
      run('mount', '-t', 'tmpfs', 'ckpt', rig.root);
    });
    try {
      const error = await failure(rig.capturer.capture());
      assert.equal([isMounted, error.kind, error.effects], [true, 'WorkTreeMissing', 'none']);
    } finally {
      installFault(undefined);
      spawnSync('umount', [rig.root]);
      await rig.remove();
    }
  },
);

whereMountable(
  'if the work tree was removed and made again at the same path, it still counts as the work tree',
  () =>
    withDaemon(async (daemon) => {
      const root = realpathSync(repository());
      const { session } = await daemon.open(root);
      rmSync(root, { recursive: true });
      mkdirSync(root);
      writeFileSync(join(root, 'new.txt'), 'new\n');
      const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
      assert.equal([checkpoint.stats?.added, checkpoint.stats?.deleted], [1, 2]);
    }),
);

whereMountable(
  'reopening a session uses the file system that is mounted now, and reports that the work tree was replaced',
  () =>
    withDaemon(async (daemon) => {
      const root = realpathSync(repository());
      const { session } = await daemon.open(root, { conversationId: 'c', retention: 'keep' });
      await mounted(root, ['-t', 'tmpfs', 'ckpt'], async () => {
        await daemon.call('session/close', { session });
        const again = await daemon.open(root, { conversationId: 'c', retention: 'keep', init: 'force' });
        assert.ok(again.resumed);
        assert.ok(daemon.logged.some(({ message }) => message.includes('was replaced since')));
        writeFileSync(join(root, 'g'), 'g\n');
        const { checkpoint } = await daemon.call('checkpoint/create', {
          session: again.session,
          kind: 'turn',
        });
        assert.is(checkpoint.stats?.added, 1);
      });
      await refusesAll(daemon, session, root);
      await daemon.call('session/close', { session });
    }),
);

test.run();
