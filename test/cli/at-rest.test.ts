// Commands can read a session that no daemon has open. Commands print the same output as for an open session, and write
// nothing. If a session was not closed properly, or if another program claims it during the command, a daemon opens the
// session.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openAtRest } from '../../src/resting.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { git } from '../support/git-oracle.ts';

const reading = [
  'list',
  'list --json',
  'complete-tags',
  'status',
  'show 1',
  'show first --patch',
  'show 1 --json',
  'diff 1 2',
  'diff 1 2 --stat',
  'diff 0 2 --json',
  'diff 1',
  'diff 1 --stat',
  'diff 2 --json',
  'diff 0 -- deep',
];

/**
 * The commands that read records, contents or differences. These few commands are enough for the other strategies,
 * because most of the code is the same.
 */
const readingOnce = ['list', 'show first --patch', 'diff 1', 'diff 0 2 --json'];

async function said(rig: DaemonRig, command: string): Promise<string> {
  const { code, stdout, stderr } = await rig.command(...command.split(' '));
  assert.is(code, 0, `${command}: ${stderr}`);
  return stdout;
}

/** Returns every path below a directory, with its stamps and content. */
function state(...roots: readonly string[]): string[] {
  return roots.flatMap((root) =>
    ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })].sort().map((name) => {
      const path = join(root, name);
      const { mode, size, mtimeNs, ctimeNs, ino } = lstatSync(path, { bigint: true });
      const content = lstatSync(path).isFile()
        ? createHash('sha1').update(readFileSync(path)).digest('hex')
        : '';
      return `${path} ${mode} ${size} ${mtimeNs} ${ctimeNs} ${ino} ${content}`;
    }),
  );
}

/** Makes a kept session with three checkpoints, closes it, and edits the work tree. Returns the session's id. */
async function closed(rig: DaemonRig, strategy: string): Promise<string> {
  git(rig.work, 'add', '-A');
  const { client, session } = await rig.opened({ strategy, retention: 'keep' });
  rig.write('a.txt', 'one\n');
  rig.write('new.txt', 'new\n');
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'one', name: 'first' });
  rig.write('deep/b.txt', 'two\n');
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'two' });
  await client.close();
  return session;
}

function owner(rig: DaemonRig, session: string): { readonly generation: number; readonly pid: number } {
  const file = join(rig.storage, session, 'checkpointd', 'owner.json');
  return JSON.parse(readFileSync(file, 'utf8')) as { readonly generation: number; readonly pid: number };
}

/**
 * Checks that commands print the same for a closed session as for an open one. `look` inspects the closed session after
 * each command.
 */
async function readClosedAndOpen(
  rig: DaemonRig,
  strategy: string,
  commands: readonly string[],
  look: (command: string) => void,
): Promise<void> {
  const resting = new Map<string, string>();
  for (const command of commands) {
    resting.set(command, await said(rig, command));
    look(command);
  }
  assert.match(resting.get('diff 1') ?? '', /\+edited/);
  const { client } = await rig.opened({ strategy, retention: 'keep' });
  for (const command of commands) assert.is(resting.get(command), await said(rig, command), command);
  await client.close();
}

function edit(rig: DaemonRig): void {
  rig.write('a.txt', 'edited\n');
  rig.write('unsaved.txt', 'unsaved\n');
}

for (const [strategy, commands] of [
  ['shadow', reading],
  ['local', readingOnce],
] as const)
  test(`${strategy}: a read-only command prints the same for a closed session as for an open session, and writes nothing`, () =>
    withRig(async (rig) => {
      const session = await closed(rig, strategy);
      const [unchanged, opened] = [state(rig.storage, rig.work), owner(rig, session).generation];
      assert.match(await said(rig, 'status'), /has not changed since this checkpoint\./);
      assert.equal(state(rig.storage, rig.work), unchanged);
      edit(rig);
      const before = state(rig.storage, rig.work);
      await readClosedAndOpen(rig, strategy, commands, (command) => {
        assert.equal(state(rig.storage, rig.work), before, command);
        assert.is(owner(rig, session).generation, opened, command);
        assert.equal(rig.processes(), [], command);
      });
    }));

test('sqlite: a read-only command prints the same for a closed session as for an open session', () =>
  withRig(async (rig) => {
    await closed(rig, 'sqlite');
    assert.match(await said(rig, 'status'), /has not changed since this checkpoint\./);
    edit(rig);
    await readClosedAndOpen(rig, 'sqlite', readingOnce, () => undefined);
  }));

test('commands read a long closed session from its packed records, without opening the session or writing', () =>
  withRig(async (rig) => {
    const session = await closed(rig, 'shadow');
    const { client } = await rig.opened({ retention: 'keep' });
    for (let turn = 3; turn < 120; turn += 1)
      await client.request('checkpoint/create', { session, kind: 'turn', message: `turn ${turn}` });
    await client.close();
    git(join(rig.storage, session), 'repack', '-a', '-d', '-q');
    const again = await rig.opened({ retention: 'keep' });
    await again.client.close();
    assert.ok(
      existsSync(join(rig.storage, session, 'checkpointd', 'packed-records')),
      'the opening cached them',
    );
    const [before, opened] = [state(rig.storage, rig.work), owner(rig, session).generation];
    assert.is((await said(rig, 'list')).trim().split('\n').length, 120);
    assert.match(await said(rig, 'show 60'), 'turn 60');
    assert.equal(state(rig.storage, rig.work), before);
    assert.is(owner(rig, session).generation, opened);
  }));

test('of several closed sessions, a command reads the most recently used session, says so once, and writes nothing', () =>
  withRig(async (rig) => {
    await closed(rig, 'shadow');
    const { client, session } = await rig.opened({ conversationId: 'two', retention: 'keep' });
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'of two' });
    await client.close();
    const saysOnce = async (command: string): Promise<string> => {
      const { code, stdout, stderr } = await rig.command(command);
      assert.is(code, 0, stderr);
      const told = stderr.match(/has 2 sessions; using the most recently used session, ses_/g);
      assert.is(told?.length, 1, `${command}: ${stderr}`);
      return stdout;
    };
    for (const command of ['list', 'status', 'diff']) {
      const before = state(rig.storage, rig.work);
      await saysOnce(command);
      assert.equal(state(rig.storage, rig.work), before, command);
    }
    doubts['a torn log']?.(join(rig.storage, session, 'checkpointd'));
    assert.match(await saysOnce('list'), /of two/);
  }));

/** Each function damages a closed session, or leaves it unfinished, so that commands have to open the session. */
const doubts: Readonly<Record<string, (own: string) => void>> = {
  'an owner that did not close it': (own) => {
    const file = join(own, 'owner.json');
    const {
      released: _,
      sum: __,
      ...note
    } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify(note));
  },
  'a torn log': (own) => appendFileSync(join(own, 'session.log'), '0000'),
  'a change of refs that was killed': (own) => writeFileSync(join(own, 'ref-intent.json'), '{"changes":[]}'),
  'a ref that is gone': (own) => {
    const tags = join(own, '..', 'refs', 'tags');
    writeFileSync(join(tags, '1'), readFileSync(join(tags, '2')));
  },
};

for (const [what, make] of Object.entries(doubts))
  test(`if a closed session has ${what}, commands read it through a daemon`, () =>
    withRig(async (rig) => {
      const session = await closed(rig, 'shadow');
      const list = await said(rig, 'list');
      const opened = owner(rig, session).generation;
      make(join(rig.storage, session, 'checkpointd'));
      const now = await said(rig, 'list');
      assert.is(now.split('\n').length, list.split('\n').length, now);
      assert.is(owner(rig, session).generation, opened + 1);
    }));

test('if a command cannot make a temporary directory, it reads a closed session through a daemon', () =>
  withRig(async (rig) => {
    await closed(rig, 'shadow');
    const expected = await said(rig, 'list');
    for (const command of ['list', 'status', 'diff', 'show']) {
      const words = command === 'show' ? ['show', '1'] : [command];
      const env = { ...rig.environment, TMPDIR: '/absent' };
      const program = await rig.commandIn({ env }, ...words);
      assert.is(program.code, 0, `${command}: ${program.stderr}`);
      if (command === 'list') assert.is(program.stdout, expected);
    }
  }));

test('if the note of an unfinished restore is unreadable, a command fails and reports the note', () =>
  withRig(async (rig) => {
    const session = await closed(rig, 'shadow');
    writeFileSync(join(rig.storage, session, 'checkpointd', 'restore.json'), '{}');
    const program = await rig.command('list');
    assert.is(program.code, 1);
    assert.match(program.stderr, /The note of an unfinished restore .* cannot be read/);
  }));

test('if a daemon opens a session while a command reads the session’s files, the daemon answers the command’s next request', () =>
  withRig(async (rig) => {
    const session = await closed(rig, 'shadow');
    const place = { session, workspace: rig.work, storage: rig.storage };
    const resting = await openAtRest(place);
    assert.is((await resting?.answer('checkpoint/list', { session }))?.checkpoints.length, 3);
    const { client } = await rig.opened({ retention: 'keep' });
    assert.is(await resting?.answer('checkpoint/list', { session }), undefined);
    await resting?.close();
    assert.is(await openAtRest(place), undefined, 'it is open elsewhere');
    await client.close();
  }));

test('a request that changes a closed session, or has an unknown tag, is answered only by a daemon', () =>
  withRig(async (rig) => {
    const session = await closed(rig, 'shadow');
    const resting = await openAtRest({ session, workspace: rig.work, storage: rig.storage });
    assert.is(await resting?.answer('checkpoint/create', { session, kind: 'turn' }), undefined);
    assert.is(await resting?.answer('checkpoint/get', { session, tag: '9' }), undefined);
    await resting?.close();
    const program = await rig.command('show', '9');
    assert.is(program.code, 1);
    assert.match(program.stderr, /Checkpoint "9" not found/);
    assert.is(owner(rig, session).pid, program.pid, 'the daemon runs in the process of the command');
  }));

test.run();
