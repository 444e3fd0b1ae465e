// Tests remotes with false data. After a push, the test changes the data on the remote with plain git, and then another
// machine fetches. The daemon must store no part of the changed data, and must keep the data of earlier fetches.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { failure } from '../support/failures.ts';
import { bareRepository, Machine } from '../support/machines.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const test = suite('lying remotes');

/** A remote with one session that was pushed twice. */
interface Pushed {
  readonly remote: Repository;
  readonly session: string;
  readonly ref: string;
  /** The commits of the two pushes, the older one first. */
  readonly heads: readonly [string, string];
}

interface Scene extends Pushed {
  /** A machine that has fetched the first push. */
  readonly two: Machine;
}

class Repository {
  readonly path: string;

  /** Makes an empty repository, or a copy of another one. */
  constructor(of?: Repository) {
    this.path = of === undefined ? bareRepository() : join(temporaryDirectory('remote'), 'copy.git');
    if (of !== undefined) cpSync(of.path, this.path, { recursive: true });
  }

  git(args: readonly string[], input: string | Buffer = ''): string {
    const env = { ...process.env, GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@x' };
    const author = { GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@x' };
    const options = { cwd: this.path, input, env: { ...env, ...author }, encoding: 'utf8' } as const;
    return execFileSync('git', args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] }).trimEnd();
  }

  point(ref: string, commit: string): void {
    this.git(['update-ref', ref, commit]);
  }

  id(of: string): string {
    return this.git(['rev-parse', of]);
  }

  object(type: string, bytes: string | Buffer): string {
    return this.git(['hash-object', '-t', type, '-w', '--literally', '--stdin'], bytes);
  }

  /** Returns a copy of the tree that has a new entry at a path. */
  replaced(tree: string, [name = '', ...below]: readonly string[], entry: string): string {
    const lines = this.git(['ls-tree', tree]).split('\n').filter(Boolean);
    const old = lines.find((line) => line.endsWith(`\t${name}`));
    const inner =
      below.length === 0 ? entry : `040000 tree ${this.replaced(old?.split(/[ \t]/)[2] ?? '', below, entry)}`;
    const others = lines.filter((line) => line !== old);
    return this.git(['mktree', '--missing'], `${[...others, `${inner}\t${name}`].join('\n')}\n`);
  }

  /** Returns a copy of a pushed commit with a changed manifest and a changed tree. */
  head(of: string, manifest: (text: string) => string, tree: (id: string) => string, parents = [of]): string {
    const message = this.git(['log', '-1', '--format=%B', of]);
    const [start = '', json = ''] = message.split('checkpointd-line-1\n');
    const changed = manifest(json.trim());
    const blob = this.object('blob', `${changed}\n`);
    const top = tree(this.replaced(this.id(`${of}^{tree}`), ['manifest'], `100644 blob ${blob}`));
    const options = parents.flatMap((parent) => ['-p', parent]);
    return this.git(['commit-tree', top, ...options, '-m', `${start}checkpointd-line-1\n${changed}`]);
  }

  file(id: string): string {
    return join(this.path, 'objects', id.slice(0, 2), id.slice(2));
  }
}

/** The remote from which every test makes its copy. */
let original: Promise<Pushed> | undefined;

async function pushTwice(): Promise<Pushed> {
  const remote = new Repository();
  const one = await Machine.make(remote.path);
  try {
    await one.open();
    await one.say('hello');
    const first = await one.push();
    one.write('a.txt', 'second\n');
    await one.turn('second');
    const second = await one.push();
    return { remote, session: first.session, ref: first.ref, heads: [first.head, second.head] };
  } finally {
    await one.close();
  }
}

async function makeScene(): Promise<Scene> {
  original ??= pushTwice();
  const pushed = await original;
  const remote = new Repository(pushed.remote);
  const [first, second] = pushed.heads;
  remote.point(pushed.ref, first);
  const two = await Machine.make(remote.path);
  await two.daemon.call('remote/fetch', { remote: 'team' });
  remote.point(pushed.ref, second);
  return { ...pushed, remote, two };
}

async function scene(work: (scene: Scene) => Promise<void>): Promise<void> {
  const made = await makeScene();
  try {
    await work(made);
  } finally {
    await made.two.close();
  }
}

/** The scene of all tests in which the machine refuses the session. A refusal does not change the machine. */
let refusing: Promise<Scene> | undefined;

async function refusingScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  refusing ??= makeScene();
  await work(await refusing);
}

test.after(async () => (await refusing)?.two.close());

/**
 * Checks that a fetch refuses the changed session, that earlier fetched data can be imported, and that importing the
 * refused data fails.
 */
async function refuses({ two, session, ref }: Scene, why: RegExp): Promise<void> {
  const packs = packsOf(two);
  const told = await two.daemon.call('remote/fetch', { remote: 'team', session });
  assert.equal(
    [told.updated, told.refused.map((each) => [each.ref, each.kind])],
    [[], [[ref, 'RemoteCorrupt']]],
  );
  assert.match(told.refused[0]?.message ?? '', why);
  assert.equal(packsOf(two), packs, 'no pack of a refused line stays');
  const error = await two.import(session).catch((reason: unknown) => reason);
  assert.ok(error instanceof CheckpointdError && error.kind === 'RemoteCorrupt', String(error));
  assert.equal((await two.daemon.call('session/list', {})).sessions, []);
}

/** Returns the packs of the sessions that a machine fetched, without git's unfinished packs. */
function packsOf({ daemon }: Machine): readonly string[] {
  const directory = join(daemon.storage, 'remotes/team/lines/objects.git/objects/pack');
  return readdirSync(directory).filter((name) => !name.startsWith('tmp_'));
}

const same = (text: string): string => text;
const changed =
  (field: string, value: unknown) =>
  (text: string): string =>
    JSON.stringify({ ...(JSON.parse(text) as object), [field]: value });

const lies: Readonly<Record<string, readonly [forge: (scene: Scene) => string, why: RegExp]>> = {
  'a head that was moved back': [
    ({ heads: [first], remote }) => remote.head(first, same, same, []),
    /reset, or replaced/,
  ],
  'a head that follows another line': [
    ({ heads: [first, second], remote }) =>
      remote.head(second, same, same, [remote.head(first, same, same, [])]),
    /reset, or replaced/,
  ],
  'the manifest of another session': [
    ({ heads: [, second], remote }) => remote.head(second, changed('session', 'ses_other'), same),
    /another session/,
  ],
  'the manifest of another writer': [
    ({ heads: [, second], remote }) =>
      remote.head(second, changed('writer', 'wr_00000000000000000000'), same),
    /another session/,
  ],
  'a later format': [
    ({ heads: [, second], remote }) => remote.head(second, changed('format', 2), same),
    /newer checkpointd/,
  ],
  'a billion checkpoints': [
    ({ heads: [, second], remote }) => remote.head(second, changed('checkpoints', 1e9), same),
    /an invalid field/,
  ],
  'too many conversation records': [
    ({ heads: [, second], remote }) => remote.head(second, changed('logRecords', 1e6), same),
    /more or fewer conversation records/,
  ],
  'a missing page': [
    ({ heads: [, second], remote }) => remote.head(second, changed('pages', [0, 7]), same),
    /part of a line is missing/,
  ],
  'one manifest in the tree and another in the commit': [
    ({ heads: [, second], remote }) => {
      const blob = remote.object(
        'blob',
        changed('strategy', 'other')(remote.git(['show', `${second}:manifest`])),
      );
      return remote.head(second, same, (tree) => remote.replaced(tree, ['manifest'], `100644 blob ${blob}`));
    },
    /two manifests of a line differ/,
  ],
  'records that are not records': [
    ({ heads: [, second], remote }) => {
      const blob = remote.object('blob', '{"id":"ckpt_1"}\n');
      return remote.head(second, same, (tree) =>
        remote.replaced(tree, ['records', '00000000'], `100644 blob ${blob}`),
      );
    },
    /record of a checkpoint is unreadable/,
  ],
  'a conversation that is not JSON': [
    ({ heads: [, second], remote }) => {
      const blob = remote.object('blob', 'not JSON\n');
      const path = ['conversation', '00000000'];
      return remote.head(second, changed('logRecords', 1), (tree) =>
        remote.replaced(tree, path, `100644 blob ${blob}`),
      );
    },
    /is missing|not JSON/,
  ],
  'a tree that differs from the tree in the record': [
    (scene) => withTree(scene, scene.remote.git(['mktree'], '')),
    /not the tree of the checkpoint/,
  ],
};

/** Returns a copy of a pushed commit whose newest checkpoint has the given tree. */
function withTree({ heads: [, second], remote }: Scene, tree: string): string {
  const [first = ''] = remote.git(['ls-tree', '--name-only', `${second}:trees/00000000`]).split('\n');
  const path = ['trees', '00000000', first];
  return remote.head(second, same, (top) => remote.replaced(top, path, `040000 tree ${tree}`));
}

for (const [name, [forge, why]] of Object.entries(lies)) {
  test(`if a remote session has ${name}, a fetch refuses the session and stores no part of it`, () =>
    refusingScene(async (at) => {
      at.remote.point(at.ref, forge(at));
      await refuses(at, why);
    }));
}

/** Returns a directory entry in git's form. */
function entry(mode: string, name: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
}

/** Trees that no work tree may have. */
const trees: Readonly<Record<string, (remote: Repository) => Buffer>> = {
  'a name that leads to the parent directory': (remote) => entry('100644', '..', remote.object('blob', 'x')),
  'a git directory': (remote) => entry('40000', '.git', remote.git(['mktree'], '')),
  'a git directory in capital letters': (remote) => entry('40000', '.GIT', remote.git(['mktree'], '')),
  'a name with a slash': (remote) => entry('100644', 'a/b', remote.object('blob', 'x')),
  'a submodule': () => entry('160000', 'module', '1'.repeat(40)),
  'an invalid mode': (remote) => entry('100777', 'a', remote.object('blob', 'x')),
  'more bytes than it declares': (remote) =>
    entry('100644', 'zeros', remote.object('blob', Buffer.alloc(20 << 20))),
  'ten thousand million files': (remote) => {
    let id = remote.object('blob', 'x');
    const level = (mode: string): Buffer =>
      Buffer.concat('abcdefghij'.split('').map((name) => entry(mode, name, id)));
    for (let depth = 0; depth < 9; depth += 1)
      id = remote.object('tree', level(depth === 0 ? '100644' : '40000'));
    return level('40000');
  },
};

for (const [name, make] of Object.entries(trees)) {
  test(`a fetch refuses a remote session if a checkpoint contains ${name}`, () =>
    refusingScene(async (at) => {
      const { remote, heads, ref } = at;
      const [, second] = heads;
      const tree = remote.object('tree', make(remote));
      const page = remote.git(['show', `${second}:records/00000000`]).split('\n');
      const last = JSON.parse(page.at(-1) ?? '') as { id: string; snapshot: string; sum?: string };
      const { sum: _, ...record } = { ...last, snapshot: tree };
      const blob = remote.object('blob', `${[...page.slice(0, -1), JSON.stringify(record)].join('\n')}\n`);
      const forged = remote.head(second, same, (top) =>
        remote.replaced(
          remote.replaced(top, ['records', '00000000'], `100644 blob ${blob}`),
          ['trees', '00000000', last.id],
          `040000 tree ${tree}`,
        ),
      );
      remote.point(ref, forged);
      await refuses(
        at,
        /is invalid|git refused the received objects|too many files|larger than its manifest says/,
      );
    }));
}

test('after many refusals, a fetch stores the intact session', () =>
  refusingScene(async ({ remote, two, session, ref, heads: [, second] }) => {
    remote.point(ref, second);
    const { updated, refused } = await two.daemon.call('remote/fetch', { remote: 'team', session });
    assert.equal([updated.length, refused], [1, []]);
    assert.is((await two.import(session)).checkpoints, 2);
  }));

for (const damage of ['missing', 'corrupt'] as const) {
  test(`a fetch refuses a remote session if a content is ${damage} there`, () =>
    scene(async (at) => {
      const { remote, heads, ref } = at;
      const [, second] = heads;
      const file = remote.file(remote.git(['hash-object', '--stdin'], 'second\n'));
      chmodSync(file, 0o644);
      if (damage === 'missing') rmSync(file);
      else writeFileSync(file, 'no object');
      remote.point(ref, second);
      const error = await at.two.daemon
        .call('remote/fetch', { remote: 'team' })
        .catch((reason: unknown) => reason);
      const { refused = [] } = error as { readonly refused?: readonly { readonly kind: string }[] };
      assert.equal(
        refused.map(({ kind }) => kind),
        ['RemoteCorrupt'],
        String(error),
      );
    }));
}

/** The targets of broken refs. A real host cannot send such refs. */
const brokenRefs: Readonly<Record<string, (remote: Repository, head: string) => string>> = {
  'a commit that is missing': () => '1'.repeat(40),
  'a commit that is corrupt': (remote, head) => {
    const id = remote.git(['commit-tree', `${head}^{tree}`, '-m', 'corrupt']);
    chmodSync(remote.file(id), 0o644);
    writeFileSync(remote.file(id), 'no object');
    return id;
  },
  'a commit that is malformed': (remote, head) =>
    remote.object('commit', `tree ${remote.id(`${head}^{tree}`)}\nauthor x\ncommitter y\n\nhm\n`),
  'a commit without its tree': (remote) => {
    const who = 'x <x@x> 1 +0000';
    return remote.object('commit', `tree ${'2'.repeat(40)}\nauthor ${who}\ncommitter ${who}\n\nhm\n`);
  },
  'a file': (remote) => remote.object('blob', 'x'),
  nothing: () => 'nonsense',
};

test('a fetch lists broken refs as damaged, and fetches all other refs', () =>
  scene(async ({ remote, two, session, ref, heads }) => {
    const broken = Object.values(brokenRefs).map((make, at) => {
      const name = `refs/checkpointd/${session}/wr_0000000000000000000${at}`;
      writeFileSync(join(remote.path, name), `${make(remote, heads[1])}\n`);
      return name;
    });
    for (let times = 0; times < 2; times += 1) {
      const { lines, refused } = await two.daemon.call('remote/sessions', { remote: 'team' });
      assert.equal(
        lines.map((line) => [line.ref, line.head]),
        [[ref, heads[1]]],
      );
      assert.equal(refused.map((each) => each.ref).sort(), broken);
      assert.equal([...new Set(refused.map(({ kind }) => kind))], ['RemoteCorrupt']);
    }
    const fetched = await two.daemon.call('remote/fetch', { remote: 'team' });
    assert.equal([fetched.updated.length, fetched.refused.length], [1, broken.length]);
    // The ref was intact at an earlier fetch, and now it is damaged. The new list must not show the commit from the
    // earlier fetch.
    writeFileSync(join(remote.path, ref), `${'3'.repeat(40)}\n`);
    const { lines, refused } = await two.daemon.call('remote/sessions', { remote: 'team' });
    assert.equal([lines, refused.length], [[], broken.length + 1]);
  }));

test('a fetch refuses a remote with more refs than its sessions can have together', () =>
  scene(async ({ remote, two, heads }) => {
    const names = Array.from({ length: 160_000 }, (_, at) => {
      const number = String(at).padStart(20, '0');
      return `${heads[1]} refs/checkpointd/ses_000000${number}/wr_${number}\n`;
    });
    writeFileSync(join(remote.path, 'packed-refs'), `# pack-refs with: sorted \n${names.join('')}`);
    for (const method of ['remote/sessions', 'remote/fetch'] as const) {
      const refused = await failure(two.daemon.call(method, { remote: 'team' }));
      assert.equal([refused.kind, refused.details?.['reason']], ['RemoteRefused', 'tooManyRefs'], method);
    }
  }));

test('if a fetch refuses a session, the session’s earlier version stays, and all other sessions are fetched', () =>
  scene(async (at) => {
    const { remote, two, heads, ref, session } = at;
    remote.point(ref, remote.head(heads[1], changed('checkpoints', 7), same));
    remote.point(`refs/checkpointd/${session}/wr_00000000000000000000`, heads[1]);
    const three = await Machine.make(remote.path);
    await three.open();
    await three.push();
    const told = await two.daemon.call('remote/fetch', { remote: 'team' });
    assert.is(told.refused.length, 2);
    assert.is(told.updated.length, 1);
    await three.close();
    remote.point(ref, heads[1]);
    const healed = await two.daemon.call('remote/fetch', { remote: 'team', session });
    assert.is(healed.updated.length, 1);
    assert.is((await two.import(session, { writer: ref.split('/').at(-1) ?? '' })).checkpoints, 2);
  }));

test.run();
