// Commands leave a daemon in the background. The next command uses this daemon. If another daemon must open a session,
// the background daemon closes this session at once. A command also works without a background daemon.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdClient } from '../../src/client/client.ts';
import { type BackgroundNote, backgroundNote } from '../../src/wire/background-daemon.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';

const test = suite('background daemon');

class Commands {
  readonly rig: DaemonRig;
  #count = 0;

  private constructor(rig: DaemonRig) {
    this.rig = rig;
  }

  static with(body: (it: Commands) => Promise<void>): Promise<void> {
    return withRig(async (rig) => {
      const it = new Commands(rig);
      try {
        await body(it);
      } finally {
        await it.run('stop');
      }
    });
  }

  /** Runs a command that may leave a daemon, and returns what it printed. */
  async run(words: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { CHECKPOINTD_NO_DAEMON: _, ...environment } = this.rig.environment;
    const ran = await this.rig.commandIn({ env: { ...environment, ...env } }, ...words.split(' '));
    assert.is(ran.code, 0, `${words}: ${ran.stderr}`);
    return ran.stdout;
  }

  /** Edits the file and makes a checkpoint. */
  async create(env?: NodeJS.ProcessEnv): Promise<void> {
    this.#count += 1;
    this.rig.write('f', `edit ${this.#count}`);
    await this.run('create', env);
  }

  note(): BackgroundNote | undefined {
    return backgroundNote(this.rig.storage);
  }

  /** Returns the note in which the running daemon describes itself. */
  daemon(): BackgroundNote {
    const note = this.note();
    if (note === undefined) throw new Error('no daemon runs in the background');
    return note;
  }

  owner(): Record<string, unknown> {
    const [session = ''] = this.rig.sessions();
    const text = readFileSync(join(this.rig.storage, session, 'checkpointd/owner.json'), 'utf8');
    return JSON.parse(text) as Record<string, unknown>;
  }
}

/** Returns the processes that serve a storage as its background daemon. */
function daemonsOf(storage: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.includes('daemon') && words.includes(`--storage-dir=${storage}`);
    } catch {
      return false; // this process has ended
    }
  });
}

test('the first command starts a background daemon, which keeps the session open for the next commands', () =>
  Commands.with(async (it) => {
    await it.create();
    const { pid } = it.daemon();
    assert.is(it.owner()['pid'], pid);
    assert.is(it.owner()['released'], undefined);
    await it.create();
    assert.match(await it.run('list'), /\[2\]/);
    assert.is(it.daemon().pid, pid);
    assert.match(await it.run('status'), new RegExp(`process ${pid}, in the background`));
    await it.run('restore 1 --hard --yes');
    assert.is(it.rig.read('f'), 'edit 1');
    await it.run('undo');
    assert.is(it.rig.read('f'), 'edit 2');
    assert.is(it.daemon().pid, pid);
  }));

test('the command `stop` ends the background daemon in an orderly way, or reports that none runs', () =>
  Commands.with(async (it) => {
    await it.create();
    const { pid } = it.daemon();
    assert.match(await it.run('stop'), new RegExp(`process ${pid}`));
    assert.is(it.note(), undefined);
    assert.equal(daemonsOf(it.rig.storage), []);
    assert.is(it.owner()['released'], true);
    assert.match(await it.run('stop'), /No daemon is running/);
    assert.equal(JSON.parse(await it.run('stop --json')), { stopped: false });
  }));

for (const name of ['CI', 'INVOCATION_ID', 'CHECKPOINTD_NO_DAEMON'])
  test(`if ${name} is set, a command leaves no daemon behind`, () =>
    Commands.with(async (it) => {
      await it.create({ [name]: '1' });
      assert.is(it.note(), undefined);
      assert.is(it.owner()['released'], true);
      assert.equal(daemonsOf(it.rig.storage), []);
    }));

test('a command that must not leave a daemon behind runs the daemon in its own process', () =>
  withRig(async (rig) => {
    for (const words of ['create', 'restore 0 --hard --yes', 'undo']) {
      rig.write('f', words);
      const command = await rig.command(...words.split(' '));
      assert.is(command.code, 0, command.stderr);
      const [session = ''] = rig.sessions();
      const owner: unknown = JSON.parse(
        readFileSync(join(rig.storage, session, 'checkpointd/owner.json'), 'utf8'),
      );
      const { pid, released } = owner as Record<string, unknown>;
      assert.equal([pid, released], [command.pid, true], words);
    }
  }));

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const)
  test(`a command that gets ${signal} during a restore closes the session, and the next command finishes the restore`, () =>
    withRig(async (rig) => {
      const many = Array.from({ length: 400 }, (_, i) => `many/${i % 20}/${i}`);
      const run = async (words: string): Promise<void> => {
        const command = await rig.command(...words.split(' '));
        assert.is(command.code, 0, command.stderr);
      };
      for (const path of many) rig.write(path, 'one');
      await run('create');
      for (const path of many) rig.write(path, 'two');
      const restore = rig.run(['restore', '0', '--hard', '--yes', `--storage=${rig.storage}`]);
      const own = join(rig.storage, rig.sessions()[0] ?? '', 'checkpointd');
      await until('the restore has begun to write', () => existsSync(join(own, 'restore.json')));
      restore.kill(signal);
      const code = await restore.code;
      assert.is(code, 128 + constants.signals[signal], restore.stderr);
      const owner = JSON.parse(readFileSync(join(own, 'owner.json'), 'utf8')) as Record<string, unknown>;
      assert.is(owner['released'], true);
      await run('status');
      const contents = new Set(many.map((path) => rig.read(path)));
      assert.is(contents.size, 1, [...contents].join(', '));
      assert.equal(rig.leftovers(), []);
    }));

test('the background daemon runs in the directory /, without the streams of the command, and with only documented environment variables', () =>
  Commands.with(async (it) => {
    await it.create({ SECRET: 'of the shell' });
    const process = `/proc/${it.daemon().pid}`;
    assert.is(readlinkSync(`${process}/cwd`), '/');
    for (const descriptor of [0, 1, 2])
      await until(
        `stream ${descriptor} leads nowhere`,
        () => readlinkSync(`${process}/fd/${descriptor}`) === '/dev/null',
      );
    const names = readFileSync(`${process}/environ`, 'utf8')
      .split('\0')
      .map((pair) => pair.split('=')[0]);
    assert.equal(new Set(names), new Set(['HOME', 'PATH', 'XDG_RUNTIME_DIR', '']));
  }));

test("if an editor's daemon opens a session, the background daemon closes this session at once, and the next command uses the editor's daemon", () =>
  Commands.with(async (it) => {
    await it.create();
    const editor = await it.rig.start();
    const { session } = await it.rig.open(editor, { conversationId: 'command line', retention: 'keep' });
    const { pid } = it.owner();
    assert.is.not(pid, it.daemon().pid);
    const { checkpoints } = await editor.request('checkpoint/list', { session });
    assert.is(checkpoints.length, 2);
    await it.create();
    assert.is(it.owner()['pid'], pid);
    await editor.close();
    await it.create();
    assert.is(it.owner()['pid'], it.daemon().pid);
    assert.match(await it.run('list'), /\[3\]/);
  }));

test('the background daemon keeps a session for as long as a client has it open', () =>
  Commands.with(async (it) => {
    await it.create();
    const client = await CheckpointdClient.attach(it.daemon().socket);
    const params = { workspace: it.rig.work, conversationId: 'command line', storageDir: it.rig.storage };
    const { session } = await client.request('session/open', params);
    const editor = await it.rig.start();
    try {
      await it.rig.open(editor, { conversationId: 'command line' });
      assert.unreachable();
    } catch (error) {
      assert.match(String((error as { readonly kind?: string }).kind ?? error), /StoreBusy/);
    }
    await client.request('session/close', { session });
    await it.rig.open(editor, { conversationId: 'command line' });
    assert.is.not(it.owner()['pid'], it.daemon().pid);
    await client.close();
    await editor.close();
  }));

test('if a client opens a session of the background daemon with other settings, the new settings apply', () =>
  Commands.with(async (it) => {
    await it.create();
    const client = await CheckpointdClient.attach(it.daemon().socket);
    const params = { workspace: it.rig.work, conversationId: 'command line', storageDir: it.rig.storage };
    const opened = await client.request('session/open', { ...params, exclude: ['g'] });
    assert.equal(opened.warnings ?? [], []);
    it.rig.write('g', 'left out');
    const { skipped } = await client.request('checkpoint/create', { session: opened.session, kind: 'turn' });
    assert.equal(
      skipped.map(({ path }) => path),
      [],
    );
    assert.equal(
      (await client.request('checkpoint/hasChanges', { session: opened.session })).hasChanges,
      false,
    );
    await client.close();
  }));

test('the background daemon captures a work tree that was removed and made again at the same path', () =>
  Commands.with(async (it) => {
    await it.create();
    rmSync(it.rig.work, { recursive: true });
    mkdirSync(it.rig.work);
    it.rig.write('f', 'of the new one');
    await it.run(`create -C ${it.rig.work} -m anew`);
    assert.match(await it.run('show 2'), /~ f/);
  }));

test('if the background daemon is killed, the next command works, and no checkpoint is lost', () =>
  Commands.with(async (it) => {
    await it.create();
    const { pid } = it.daemon();
    process.kill(pid, 'SIGKILL');
    await until("the daemon's note is removed", () => it.note() === undefined);
    await it.create();
    assert.match(await it.run('list'), /\[2\]/);
    assert.is.not(it.daemon().pid, pid);
  }));

test('a command replaces a background daemon of another version by a new daemon', () =>
  Commands.with(async (it) => {
    await it.create();
    const note = it.daemon();
    const file = join(it.rig.storage, 'run/daemon.json');
    writeFileSync(file, JSON.stringify({ ...note, version: '0.0.1' }));
    await it.create();
    assert.is.not(it.daemon().pid, note.pid);
    assert.equal(daemonsOf(it.rig.storage), [String(it.daemon().pid)]);
  }));

test('commands that start at the same moment start only one daemon', () =>
  Commands.with(async (it) => {
    await it.create({ CI: '1' });
    await Promise.all([it.run('verify'), it.run('verify'), it.run('verify')]);
    assert.equal(daemonsOf(it.rig.storage), [String(it.daemon().pid)]);
  }));

test.run();
