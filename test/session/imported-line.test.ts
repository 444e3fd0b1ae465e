// An import into `sqlite` keeps the line as it was received. The contents come into the database later. Readers must
// see no difference, and no content must be lost in between.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon } from '../support/in-process-daemon.ts';
import { bareRepository, Machine } from '../support/machines.ts';
import { until } from '../support/until.ts';

interface Scene {
  readonly remote: string;
  readonly container: Machine;
  /** The id of the pushed session. */
  readonly pushed: string;
  readonly machines: Machine[];
  readonly expected: {
    readonly checkpoints: unknown;
    readonly history: unknown;
    readonly diff: unknown;
    /** The files of the checkpoints, by tag. */
    readonly files: ReadonlyMap<string, Record<string, string>>;
  };
}

const test = suite<Scene>('imported lines');

test.before(async (scene) => {
  const remote = bareRepository();
  const container = await Machine.make(remote);
  await container.open();
  const files = new Map<string, Record<string, string>>();
  // The rows of so many files are written before the transaction of their checkpoint.
  for (let n = 0; n < 450; n += 1) container.write(`many/${n}.txt`, `${n}\n`);
  for (let turn = 1; turn <= 3; turn += 1) {
    await container.say(`turn ${turn}`);
    container.write('a.txt', `turn ${turn}\n`);
    container.write(`new/${turn}.bin`, `\0\x01\xff${turn}`.repeat(turn * 40_000));
    await container.daemon.call('ledger/recordWrite', { session: container.session, path: 'a.txt' });
    await container.turn(`turn ${turn}`);
    files.set(`${turn}`, container.files);
  }
  const { session: pushed } = await container.push();
  const facts = { checkpoints: await named(container), history: await container.history() };
  const expected = { ...facts, diff: await diffOf(container), files };
  Object.assign(scene, { remote, container, pushed, expected, machines: [] });
});

test.after.each(async ({ machines }) => {
  await Promise.all(machines.splice(0).map((machine) => machine.close()));
});

test.after(({ container }) => container.close());

/** A session that was imported into `sqlite`. The daemon ended before it converted the session's line. */
interface Waiting {
  readonly root: string;
  readonly storage: string;
  readonly session: string;
  readonly imported: string;
}

/** Imports the session on new machines, until a daemon ends before its conversion. */
async function importOnly(scene: Scene): Promise<Waiting> {
  for (;;) {
    const { root, daemon } = await Machine.make(scene.remote, { 'mine.txt': 'mine\n' });
    const params = { remote: 'team', session: scene.pushed, workspace: root, strategy: 'sqlite' } as const;
    const { session } = await daemon.call('session/import', params);
    await daemon.close();
    const imported = join(daemon.storage, session, 'checkpointd', 'imported');
    if (existsSync(imported)) return { root, storage: daemon.storage, session, imported };
  }
}

async function opened({ root, storage }: Waiting, { machines }: Scene): Promise<Machine> {
  const machine = Machine.over(root, storage);
  machines.push(machine);
  await machine.open({ strategy: 'sqlite' });
  return machine;
}

const named = async (of: Machine): Promise<unknown> =>
  (await of.checkpoints()).map(({ id, tag, description }) => [id, tag, description]);

const diffOf = async ({ daemon, session }: Machine): Promise<unknown> => {
  const { files } = await daemon.call('checkpoint/diff', { session, from: '1', to: '3' });
  return files?.map((file) => ({ ...file, absolutePath: undefined }));
};

/** Checks that the machine has everything that the container pushed. */
async function hasEverything(machine: Machine, { expected }: Scene): Promise<void> {
  assert.equal(await named(machine), expected.checkpoints);
  assert.equal(await machine.history(), expected.history);
  const { session } = machine;
  assert.equal((await machine.daemon.call('store/verify', { session })).problems, []);
  assert.equal(await diffOf(machine), expected.diff);
  for (const [tag, files] of expected.files) {
    await machine.restore(tag);
    assert.equal(machine.files, files, `checkpoint ${tag}`);
  }
}

test('an imported session opens with all its data, even without the remote and the fetched data', async (scene) => {
  const waiting = await importOnly(scene);
  rmSync(join(waiting.storage, 'remotes'), { recursive: true });
  renameSync(scene.remote, `${scene.remote}.gone`);
  const machine = await opened(waiting, scene);
  renameSync(`${scene.remote}.gone`, scene.remote);
  assert.not.ok(existsSync(waiting.imported));
  await hasEverything(machine, scene);
  await machine.say('later');
  await machine.close();
  const again = await opened(waiting, scene);
  assert.is(((await again.history()) as unknown[]).length, 4, 'a second opening converts nothing');
});

test('the daemon converts the line of an imported session in the background', async (scene) => {
  const machine = await Machine.make(scene.remote);
  scene.machines.push(machine);
  const { session } = await machine.daemon.call('session/import', {
    remote: 'team',
    session: scene.pushed,
    workspace: machine.root,
    strategy: 'sqlite',
  });
  const imported = join(machine.daemon.storage, session, 'checkpointd', 'imported');
  await until('the line is converted', () => !existsSync(imported));
  await machine.open({ strategy: 'sqlite' });
  await hasEverything(machine, scene);
});

test('an opening continues a conversion that was interrupted at any point', async (scene) => {
  const waiting = await importOnly(scene);
  let interrupted = 0;
  for (let ms = 1; existsSync(waiting.imported); ms *= 2) {
    const daemon = new InProcessDaemon(waiting.storage);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), ms);
    const params = { conversationId: 'talk', strategy: 'sqlite', workspace: waiting.root } as const;
    await daemon
      .call('session/open', params, { signal: cancel.signal })
      .catch((error: unknown) => assert.ok(cancel.signal.aborted, String(error)));
    interrupted += 1;
    await daemon.close();
  }
  assert.ok(interrupted > 2, `${interrupted} openings`);
  await hasEverything(await opened(waiting, scene), scene);
});

test('if the imported data is damaged, an opening says so, and the session can be deleted and imported again', async (scene) => {
  for (const damage of [
    (pack: string): void => rmSync(pack),
    (pack: string): void => {
      const bytes = readFileSync(pack);
      bytes.fill(0, 60, bytes.length - 60);
      rmSync(pack); // the pack is a hard link
      writeFileSync(pack, bytes);
    },
  ]) {
    const waiting = await importOnly(scene);
    const packs = join(waiting.imported, 'objects.git', 'objects', 'pack');
    for (const name of readdirSync(packs).filter((each) => each.endsWith('.pack'))) damage(join(packs, name));
    const daemon = new InProcessDaemon(waiting.storage);
    const params = { conversationId: 'talk', strategy: 'sqlite', workspace: waiting.root } as const;
    const error = await failure(daemon.call('session/open', params));
    assert.is(error.kind, 'StoreCorrupt');
    assert.match(error.message, /import it again/);
    await daemon.call('session/delete', { session: waiting.session });
    assert.equal((await daemon.call('session/list', {})).sessions, []);
    const again = Machine.over(waiting.root, waiting.storage);
    scene.machines.push(again);
    await again.import(scene.pushed, { strategy: 'sqlite' });
    await hasEverything(again, scene);
    await daemon.close();
  }
});

test('an imported session can be deleted while the daemon converts the session’s line', async (scene) => {
  const machine = await Machine.make(scene.remote);
  scene.machines.push(machine);
  const params = {
    remote: 'team',
    session: scene.pushed,
    workspace: machine.root,
    strategy: 'sqlite',
  } as const;
  const { session } = await machine.daemon.call('session/import', params);
  await machine.daemon.call('session/delete', { session });
  assert.equal((await machine.daemon.call('session/list', {})).sessions, []);
  await machine.import(scene.pushed, { strategy: 'sqlite' });
  await hasEverything(machine, scene);
});

test('another process can open a session while the daemon converts its line', (scene) =>
  withRig(async (rig) => {
    const [first, second] = [await rig.start(), await rig.start()];
    await first.request('remote/add', { name: 'team', url: scene.remote });
    const strategy = 'sqlite';
    const params = { remote: 'team', session: scene.pushed, workspace: rig.work, strategy };
    const { conversationId } = await first.request('session/import', params);
    const { session, resumed } = await rig.open(second, { conversationId, strategy, retention: 'keep' });
    assert.is(resumed, true);
    assert.equal((await second.request('store/verify', { session })).problems, []);
    await second.request('checkpoint/restore', { session, tag: '3', mode: 'hard' });
    assert.is(rig.read('a.txt'), 'turn 3\n');
    assert.is(rig.read('many/449.txt'), '449\n');
    for (const client of [first, second]) await client.close();
  }));

test('an import refuses a line with a missing object, and makes no session', async (scene) => {
  const machine = await Machine.make(scene.remote);
  scene.machines.push(machine);
  const { daemon, root } = machine;
  await daemon.call('remote/fetch', { remote: 'team' });
  scene.container.write('large.txt', 'another\n');
  await scene.container.turn('later');
  await scene.container.push();
  const packs = join(daemon.storage, 'remotes', 'team', 'lines', 'objects.git', 'objects', 'pack');
  const first = readdirSync(packs);
  await daemon.call('remote/fetch', { remote: 'team' });
  for (const name of first) rmSync(join(packs, name));
  const params = { remote: 'team', session: scene.pushed, workspace: root, strategy: 'sqlite' } as const;
  assert.is((await failure(daemon.call('session/import', params))).kind, 'RemoteCorrupt');
  assert.equal((await daemon.call('session/list', {})).sessions, []);
});

test.run();
