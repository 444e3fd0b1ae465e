// Kills a restore or a create at the n-th call of the seam, and checks the next daemon. The long test kills the daemon
// at every call that may change the disk. The normal test chooses some of these calls.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type DaemonRig, faultyEntry, fsck } from '../support/daemon-rig.ts';
import { git } from '../support/git-oracle.ts';
import { until } from '../support/until.ts';
import { failureOf, type WireClient } from '../support/wire-client.ts';

const later = 'edited by the user after the kill\n';
/** Files that turn 2 moves. To move these files back, a restore renames a directory and a single file. */
const moving: Tree = { 'home/one': 'moves\n', 'home/below/two': 'moves below\n', alone: 'moves alone\n' };
const keep = { retention: 'keep' } as const;
type Tree = Readonly<Record<string, string>>;

/**
 * A session of two turns. Before each kill, the session is replaced by a copy of its initial state at the same path.
 */
export class KillPoints {
  readonly #rig: DaemonRig;
  /** The work tree in checkpoint 1. */
  readonly target: Tree;
  /** The work tree before each kill. */
  readonly before: Tree;

  private constructor(rig: DaemonRig, target: Tree) {
    this.#rig = rig;
    this.target = target;
    this.before = rig.tree();
    rig.copyAside();
  }

  static async make(rig: DaemonRig): Promise<KillPoints> {
    const { client, session } = await rig.opened(keep);
    for (let file = 0; file < 4; file += 1) rig.write(`d${file}/f`, `${file} at turn 1\n`);
    rig.write('kind', 'a file\n');
    for (const [path, content] of Object.entries(moving)) rig.write(path, content);
    await client.request('checkpoint/create', { session, kind: 'turn' });
    const target = rig.tree();
    for (let file = 0; file < 3; file += 1) rig.write(`d${file}/f`, `${file} at turn 2\n`);
    rmSync(join(rig.work, 'd3'), { recursive: true });
    rmSync(join(rig.work, 'kind'));
    rig.write('kind/of/directory', 'in the way\n');
    renameSync(join(rig.work, 'home'), join(rig.work, 'moved'));
    renameSync(join(rig.work, 'alone'), join(rig.work, 'new-name'));
    rig.write('new/file', 'made in turn 2\n');
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rig.write('a.txt', 'not in any checkpoint\n');
    await client.close();
    return new KillPoints(rig, target);
  }

  /** Returns the matching calls of one run without a kill, as `N call target`. */
  async trace(what: 'restore' | 'create', match = ''): Promise<string[]> {
    assert.is(await this[what](0, match), undefined);
    return readFileSync(join(this.#rig.top, 'count'), 'utf8').trimEnd().split('\n');
  }

  /** Kills a hard restore of checkpoint 1 at the n-th matching call. Returns `undefined` if there are fewer calls. */
  async restore(n: number, match = ''): Promise<string | undefined> {
    const killed = await this.#killed(n, match, (client, session) =>
      client.send('checkpoint/restore', { session, tag: '1', mode: 'hard', onConflict: 'overwrite' }),
    );
    if (killed === undefined) return undefined;
    const rig = this.#rig;
    for (const [path, content] of Object.entries(rig.tree())) {
      if (path.includes('.ckpt-tmp-')) continue;
      assert.ok(content === this.target[path] || content === this.before[path], `${killed}: ${path} is torn`);
    }
    for (const content of Object.values(moving))
      assert.ok(Object.values(rig.tree()).includes(content), `${killed}: ${content} is at no path`);
    const isUnfinished = existsSync(join(rig.storage, this.#session(), 'checkpointd', 'restore.json'));
    if (isUnfinished) rig.write('deep/b.txt', later);
    const { client, session, resumed } = await rig.opened(keep);
    assert.ok(resumed, killed);
    const tree = rig.tree();
    const { checkpoints } = await client.request('checkpoint/list', { session, kind: 'every', limit: 100 });
    const isDone = checkpoints.some(({ kind }) => kind === 'restore');
    const isRedone = isUnfinished && tree['deep/b.txt'] !== later;
    if (isRedone) assert.equal(tree, this.target, `${killed}: finished`);
    // The daemon was killed when the restore was complete except for the removal of its note. Therefore the recovery
    // does not change later edits of the user.
    else if (isUnfinished) assert.equal(tree, { ...this.target, 'deep/b.txt': later }, killed);
    else assert.equal(tree, isDone ? this.target : this.before, killed);
    const safeties = checkpoints.filter(({ kind }) => kind === 'safety').map(({ id }) => id);
    if (isDone) await this.#assertSaved(client, session, safeties, isRedone, killed);
    await this.#assertWhole(client, session, killed);
    return killed;
  }

  /** Kills the daemon while it creates checkpoint 3. */
  async create(n: number, match = ''): Promise<string | undefined> {
    const killed = await this.#killed(n, match, (client, session) =>
      client.send('checkpoint/create', { session, kind: 'turn' }),
    );
    if (killed === undefined) return undefined;
    const { client, session } = await this.#rig.opened(keep);
    assert.equal(this.#rig.tree(), this.before, killed);
    const { checkpoints } = await client.request('checkpoint/list', { session });
    const tags = checkpoints.map(({ tag }) => tag);
    if (tags.includes('3')) await this.#assertHolds(client, session, '3', killed);
    else assert.equal(tags, ['0', '1', '2'], killed);
    const again = await client.request('checkpoint/create', { session, kind: 'turn', tag: '4' });
    assert.is(again.created, true, killed);
    await this.#assertHolds(client, session, '4', killed);
    await this.#assertWhole(client, session, killed);
    return killed;
  }

  async #killed(
    n: number,
    match: string,
    request: (client: WireClient, session: string) => { readonly answer: Promise<unknown> },
  ): Promise<string | undefined> {
    const { top } = this.#rig;
    this.#rig.copyBack();
    const [arm, count] = [join(top, 'arm'), join(top, 'count')];
    for (const file of [arm, count]) rmSync(file, { force: true });
    const command = [process.execPath, faultyEntry] as const;
    const { client, session } = await this.#rig.opened(keep, {
      command,
      args: [`--kill=${n}:${arm}:${count}:${match}`],
    });
    writeFileSync(arm, '');
    const answered = request(client, session).answer.then(
      () => true,
      () => false,
    );
    if (await answered) {
      await client.kill();
      return undefined;
    }
    assert.is((await client.exit()).signal, 'SIGKILL');
    await until('git children end', () => this.#rig.children().length === 0, 1000);
    return readFileSync(count, 'utf8').trim();
  }

  /** Checks that safety checkpoints have the files from before the restore and the edits from after the kill. */
  async #assertSaved(
    client: WireClient,
    session: string,
    safeties: readonly string[],
    edited: boolean,
    killed: string,
  ): Promise<void> {
    const wanted = ['not in any checkpoint\n', ...(edited ? [later] : [])];
    const found = new Set<unknown>();
    for (const tag of safeties) {
      for (const path of ['a.txt', 'deep/b.txt'])
        found.add((await client.request('checkpoint/readFile', { session, tag, path })).data);
    }
    for (const content of wanted) assert.ok(found.has(content), `${killed}: lost ${content}`);
  }

  async #assertHolds(client: WireClient, session: string, tag: string, killed: string): Promise<void> {
    const { files } = await client.request('checkpoint/files', { session, tag });
    assert.equal(files.map(({ path }) => path).sort(), Object.keys(this.before).sort(), killed);
    for (const [path, content] of Object.entries(this.before)) {
      const { data } = await client.request('checkpoint/readFile', { session, tag, path });
      assert.is(data, content, `${killed}: ${path} in ${tag}`);
    }
  }

  /** Checks that no temporary file is left, that git finds no fault, and that the session continues. */
  async #assertWhole(client: WireClient, session: string, killed: string): Promise<void> {
    const rig = this.#rig;
    assert.equal(rig.leftovers(), [], killed);
    const shadow = rig.shadow(session);
    assert.not.ok(existsSync(join(shadow, 'checkpointd', 'restore.json')), killed);
    assert.is(fsck(shadow), '', killed);
    assert.is(git(rig.work, 'status', '--porcelain=v1', '-uno'), '', killed);
    assert.is(
      (await failureOf(client.request('checkpoint/stats', { session, tag: '99' }))).kind,
      'UnknownCheckpoint',
    );
    const restored = await client.request('checkpoint/restore', { session, tag: '2', mode: 'hard' });
    assert.equal(restored.failed, [], killed);
    assert.is(rig.read('kind/of/directory'), 'in the way\n', killed);
    assert.is((await client.close()).code, 0, killed);
  }

  #session(): string {
    const [session = ''] = this.#rig.sessions();
    return session;
  }
}
