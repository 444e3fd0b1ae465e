// Makes changes that the watcher does not report: the kernel reports nothing, or no directory handle exists. When a
// capture finds an unreported change, the daemon notifies clients, counts the change and repairs the watch.
import { spawnSync } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { WireClient } from '../support/wire-client.ts';

const test = suite('drift');
const events = ['worktree/didChange', 'worktree/didDrift'];
const msMax = 30_000;

class Watched {
  readonly client: WireClient;
  readonly session: string;
  readonly #rig: DaemonRig;

  private constructor(rig: DaemonRig, client: WireClient, session: string) {
    this.#rig = rig;
    this.client = client;
    this.session = session;
  }

  /** A daemon with a session whose watcher is live. */
  static async open(rig: DaemonRig): Promise<Watched> {
    const client = new WireClient({ args: rig.args(), env: rig.environment });
    await client.initialize({ capabilities: { checkpointd: { events } } });
    const { session } = await rig.open(client);
    const watched = new Watched(rig, client, session);
    await until('the watcher is live', async () => (await watched.status()).state === 'live', msMax);
    await until(
      "the watcher's state is reported",
      () => client.events('worktree/didChange').length > 0,
      msMax,
    );
    return watched;
  }

  status(): ReturnType<typeof this.client.request<'worktree/status'>> {
    return this.client.request('worktree/status', { session: this.session });
  }

  async create(): Promise<void> {
    await this.client.request('checkpoint/create', { session: this.session, kind: 'turn' });
  }

  /** Returns the paths of each reported drift. */
  drifts(): string[][] {
    return this.client
      .events('worktree/didDrift')
      .map(({ paths, count }) => [String(count), ...paths.map(({ path }) => path)]);
  }

  /**
   * Makes a change that the kernel does not report, and waits until a capture finds it. On a busy machine the watcher
   * may lose events, and the audit then reports nothing. Therefore the change is repeated if needed.
   */
  async drift(change: (attempt: number) => void): Promise<void> {
    const before = this.drifts().length;
    for (let attempt = 0; attempt < 6; attempt += 1) {
      change(attempt);
      await this.create();
      const isTold = until('the drift is reported', () => this.drifts().length > before, 8000);
      if (
        await isTold.then(
          () => true,
          () => false,
        )
      )
        return;
    }
    assert.unreachable(`no drift was told; ${JSON.stringify(await this.status())}`);
  }

  /** Makes a change and waits until the client is notified of the path. */
  async told(path: string, change: () => void): Promise<void> {
    const from = this.client.events('worktree/didChange').length;
    change();
    await this.toldSince(from, path);
  }

  toldSince(from: number, path: string): Promise<void> {
    const isTold = (): boolean =>
      this.client
        .events('worktree/didChange')
        .slice(from)
        .some(({ paths, more }) => more === true || paths.some((one) => one.path === path));
    return until(`${path} is reported`, isTold, msMax);
  }

  /** Returns the number of directories that all threads of the daemon watch. */
  watches(): number {
    const directory = `/proc/${this.client.process.pid}/fdinfo`;
    let count = 0;
    for (const fd of readdirSync(directory)) {
      try {
        count += (readFileSync(join(directory, fd), 'utf8').match(/^inotify /gm) ?? []).length;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      }
    }
    return count;
  }

  logged(): string[] {
    return this.#rig
      .logText()
      .split('\n')
      .filter((line) => line.includes('had not reported'));
  }
}

async function watched(rig: DaemonRig, body: (it: Watched) => Promise<void>): Promise<void> {
  const it = await Watched.open(rig);
  try {
    await body(it);
  } finally {
    await it.client.kill();
  }
  assert.equal(it.client.violations, []);
}

if (process.platform === 'linux') {
  test('the audit of the watcher finds a write through a hard link outside the work tree; the log reports each write once', async () => {
    await withRig(async (rig) => {
      await watched(rig, async (it) => {
        const outside = join(rig.top, 'other-name');
        linkSync(join(rig.work, 'deep/b.txt'), outside);
        await it.create();
        assert.is((await it.status()).drifts, undefined);
        const from = it.client.events('worktree/didChange').length;
        await it.drift((attempt) => writeFileSync(outside, `through the other name ${attempt}\n`));
        await it.toldSince(from, 'deep/b.txt');
        assert.is((await it.status()).drifts, 1);
        await it.create(); // after this capture every directory is watched again
        const watches = it.watches();
        for (let i = 2; i < 4; i += 1) {
          await it.drift((attempt) => writeFileSync(outside, `again ${i} ${attempt}\n`));
          // A change that the watcher reported does not count as drift.
          await it.told('deep/b.txt', () => rig.write('deep/b.txt', `within ${i}\n`));
          await it.create();
        }
        assert.equal(it.drifts(), [
          ['1', 'deep/b.txt'],
          ['1', 'deep/b.txt'],
          ['1', 'deep/b.txt'],
        ]);
        assert.is((await it.status()).drifts, 3);
        assert.is((await it.client.request('session/get', { session: it.session })).watcher.drifts, 3);
        assert.ok(it.watches() <= watches, 'what cannot be mended costs no more each time');
        assert.is(it.logged().length, 1);
      });
    });
  });

  test('if chokidar ignored a directory, changes in this directory are reported as soon as a capture has included it', async () => {
    await withRig(async (rig) => {
      rig.write('.gitignore', 'late/\n');
      for (const path of ['late/f', 'late/deep/g']) rig.write(path, '1');
      await watched(rig, async (it) => {
        rig.write('.gitignore', '');
        await it.create();
        for (const path of ['late/f', 'late/deep/g']) await it.told(path, () => rig.write(path, '2'));
        await it.create();
        assert.equal(it.drifts(), []);
      });
    });
  });

  test('the audit detects a write through mmap (F4)', async () => {
    const script = `import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    with mmap.mmap(file.fileno(), 0) as view:
        view[0:1] = sys.argv[2].encode()
        view.flush()`;
    if (spawnSync('python3', ['--version']).status !== 0)
      return console.log('skipped: no python3 to mmap with');
    await withRig(async (rig) => {
      await watched(rig, async (it) => {
        await it.create();
        await it.drift((attempt) => {
          const { status } = spawnSync('python3', [
            '-c',
            script,
            join(rig.work, 'deep/b.txt'),
            String(attempt),
          ]);
          assert.is(status, 0);
        });
        assert.equal(it.drifts(), [['1', 'deep/b.txt']]);
      });
    });
  });

  test('a session that ends during an audit ends as usual, and the audit reports nothing', async () => {
    await withRig(async (rig) => {
      await watched(rig, async (it) => {
        const outside = join(rig.top, 'other-name');
        linkSync(join(rig.work, 'a.txt'), outside);
        await it.create();
        writeFileSync(outside, 'unseen\n');
        await it.create();
        await it.client.request('session/close', { session: it.session });
        assert.equal(rig.sessions(), []);
        assert.equal(it.drifts(), []);
        assert.equal(await it.client.close(), { code: 0, signal: null });
        assert.equal(it.drifts(), []);
      });
    });
  });
} else console.log('skipped: the watch is checked on Linux only');

test.run();
