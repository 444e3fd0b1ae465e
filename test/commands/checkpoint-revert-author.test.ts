// Tests that a revert of one author reverses only changes that the reports prove to be this author's.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Wire from '../../src/protocol/types.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';

const lines = (...changes: readonly (readonly [number, string])[]): string => {
  const text = Array.from({ length: 12 }, (_, n) => `line ${n}`);
  for (const [at, what] of changes) text[at] = what;
  return `${text.join('\n')}\n`;
};

/** Two agents in one work tree. Each has its own session. */
class Pair {
  daemon = new InProcessDaemon();
  readonly root = repository({ 'shared.txt': lines(), 'a.txt': lines(), 'b.txt': lines() });
  a = '';
  b = '';

  async open(strategy: NonNullable<Wire.SessionOpenParams['strategy']> = 'shadow'): Promise<this> {
    this.a = await this.openOne('codex:1', strategy);
    this.b = await this.openOne('claude:1', strategy);
    return this;
  }

  async openOne(
    conversationId: string,
    strategy?: NonNullable<Wire.SessionOpenParams['strategy']>,
  ): Promise<string> {
    const more = strategy === undefined ? {} : { strategy };
    return (await this.daemon.open(this.root, { conversationId, retention: 'keep', ...more })).session;
  }

  async restart(): Promise<void> {
    await this.daemon.close();
    this.daemon = new InProcessDaemon(this.daemon.storage);
    await this.open();
  }

  /** Makes the checkpoint of a turn in each of the two sessions. */
  async turn(): Promise<void> {
    for (const session of [this.a, this.b])
      await this.daemon.call('checkpoint/create', { session, kind: 'turn' });
  }

  async tool(session: string): Promise<void> {
    await this.daemon.call('checkpoint/create', { session, kind: 'tool' });
  }

  async report(session: string, path: string): Promise<void> {
    await this.daemon.call('ledger/recordWrite', { session, path });
  }

  async wrote(session: string, files: Record<string, string>): Promise<void> {
    write(this.root, files);
    for (const path of Object.keys(files)) await this.report(session, path);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'latin1');
  }

  revert(
    session: string,
    author: string,
    more: Partial<Wire.CheckpointRevertParams> = {},
  ): Promise<Wire.RevertResult> {
    const range = 'from' in more ? {} : { tag: '1' };
    return this.daemon.call('checkpoint/revert', { session, author, ...range, ...more });
  }
}

const shared = { a: [1, 'by a'], b: [9, 'by b'] } as const;

for (const [strategy, order] of [
  ['shadow', 'ab'],
  ['shadow', 'ba'],
  ['local', 'ab'],
  ['sqlite', 'ba'],
] as const)
  test(`${strategy}: a revert of one author keeps the lines of the other author (written in the order ${order})`, async () => {
    const pair = await new Pair().open(strategy);
    await pair.turn();
    const [first, second] = order === 'ab' ? (['a', 'b'] as const) : (['b', 'a'] as const);
    const both = lines(shared.a, shared.b);
    await pair.wrote(pair[first], { 'shared.txt': lines(shared[first]) });
    await pair.wrote(pair.a, { 'a.txt': lines([2, 'by a']), 'made by a.txt': 'a' });
    await pair.wrote(pair.b, { 'b.txt': lines([2, 'by b']), 'made by b.txt': 'b' });
    await pair.wrote(pair[second], { 'shared.txt': both });
    await pair.turn();
    const before = manifest(pair.root);
    for (const [asked, author, other] of [
      ['a', 'a', 'b'],
      ['a', 'b', 'a'],
    ] as const) {
      const result = await pair.revert(pair[asked], pair[author]);
      assert.is(pair.read('shared.txt'), lines(shared[other]));
      assert.is(pair.read(`${author}.txt`), lines());
      assert.is(pair.read(`${other}.txt`), lines([2, `by ${other}`]));
      assert.is(pair.read(`made by ${other}.txt`), other);
      assert.equal(result.deleted, [{ path: `made by ${author}.txt` }]);
      assert.equal(result.restored, [{ path: `${author}.txt` }, { path: 'shared.txt' }]);
      assert.equal(result.skipped, []);
      assert.equal(
        result.paths.map(({ path, partial }) => [path, partial]),
        [
          [`${author}.txt`, undefined],
          [`made by ${author}.txt`, undefined],
          ['shared.txt', true],
        ],
      );
      await pair.daemon.call('checkpoint/undo', { session: pair[asked] });
      assert.equal(manifest(pair.root), before);
    }
    await pair.daemon.close();
  });

test('a revert of one author keeps later work of another author in the same file', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a) });
  await pair.tool(pair.a);
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a, [5, 'by a, too']) });
  await pair.turn();
  await pair.wrote(pair.b, { 'shared.txt': lines(shared.a, [5, 'by a, too'], shared.b) });
  const { paths } = await pair.revert(pair.a, pair.a);
  assert.equal(paths, [{ path: 'shared.txt', outcome: 'clean' }]);
  assert.is(pair.read('shared.txt'), lines(shared.b));
  await pair.daemon.close();
});

test('a revert of one author keeps a change that no session reported, even in a file of this author', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  await pair.wrote(pair.a, { 'a.txt': lines([2, 'by a']) });
  // The user edits three files: one before a checkpoint, one after the last report, and one that no agent wrote.
  write(pair.root, { 'shared.txt': lines([7, 'by hand']), 'b.txt': lines([7, 'by hand']) });
  await pair.tool(pair.a);
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a, [7, 'by hand']) });
  write(pair.root, { 'a.txt': lines([2, 'by a'], [7, 'by hand']) });
  await pair.turn();
  const result = await pair.revert(pair.a, pair.a);
  assert.equal(result.skipped, [{ path: 'b.txt', reason: 'unknownAuthor' }]);
  assert.equal(
    result.paths,
    ['a.txt', 'shared.txt'].map((path) => ({ path, outcome: 'clean', partial: true })),
  );
  for (const path of ['a.txt', 'b.txt', 'shared.txt'])
    assert.is(pair.read(path), lines([7, 'by hand']), path);
  await pair.daemon.close();
});

test('a revert of one author skips a file in which changes of two authors are adjacent', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  // Agent `b` changes one line of agent `a`, and another line beside a line of agent `a`. Agent `b` also changes a file
  // that agent `a` made.
  await pair.wrote(pair.a, {
    'a.txt': lines(shared.a),
    'b.txt': lines(shared.a),
    'made.txt': lines(shared.a),
  });
  await pair.wrote(pair.b, { 'a.txt': lines([1, 'by b']), 'b.txt': lines(shared.a, [2, 'by b']) });
  await pair.wrote(pair.b, { 'made.txt': lines(shared.a, shared.b) });
  await pair.turn();
  const before = manifest(pair.root);
  for (const [author, left] of [
    [pair.a, ['a.txt', 'b.txt', 'made.txt']],
    [pair.b, []],
  ] as const) {
    const { skipped } = await pair.revert(pair.a, author);
    assert.equal(
      skipped.filter(({ reason }) => reason === 'mixedAuthors').map(({ path }) => path),
      left,
    );
    await pair.daemon.call('checkpoint/undo', { session: pair.a });
    assert.equal(manifest(pair.root), before);
  }
  await pair.daemon.close();
});

test('if a content that was reported between two checkpoints is damaged, a revert of one author does not use it', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a) });
  await pair.wrote(pair.b, { 'shared.txt': lines(shared.a, shared.b) });
  await pair.turn();
  const kept = join(pair.daemon.storage, pair.a, 'checkpointd/reported');
  for (const name of readdirSync(kept)) writeFileSync(join(kept, name), 'damaged');
  const { skipped } = await pair.revert(pair.a, pair.b);
  assert.equal(skipped, [{ path: 'shared.txt', reason: 'mixedAuthors' }]);
  assert.is(pair.read('shared.txt'), lines(shared.a, shared.b));
  // If the directory for reported contents cannot be made, the log says so. The report still counts.
  rmSync(kept, { recursive: true });
  writeFileSync(kept, '');
  await pair.wrote(pair.a, { 'a.txt': lines(shared.a) });
  assert.equal((await pair.revert(pair.a, pair.a, { from: '2' })).restored, [{ path: 'a.txt' }]);
  rmSync(kept);
  await pair.daemon.call('session/close', { session: pair.b });
  await pair.wrote(pair.a, { 'b.txt': lines(shared.a) });
  assert.not(existsSync(kept));
  await pair.daemon.close();
});

test('if captures leave out a file, and an agent reports a write to this file, the daemon does not store its content', async () => {
  const pair = await new Pair().open();
  write(pair.root, { '.gitignore': 'seen.env\nout/\n', 'seen.env': 'old secret' });
  await pair.turn();
  // The rule `*.key` is newer than the last checkpoint, but it applies to the reported files.
  write(pair.root, { '.gitignore': 'seen.env\nout/\n*.key\n' });
  await pair.wrote(pair.a, {
    'seen.env': 'secret 1',
    'out/deep/made.txt': 'secret 2',
    'my.key': 'secret 3',
    'new/my.key': 'secret 4',
    'shared.txt': lines(shared.a),
    'new/made.txt': 'no secret',
  });
  for (const session of [pair.a, pair.b]) {
    const kept = join(pair.daemon.storage, session, 'checkpointd/reported');
    const contents = readdirSync(kept).map((name) => readFileSync(join(kept, name), 'latin1'));
    assert.equal(contents.sort(), [lines(shared.a), 'no secret'].sort());
  }
  await pair.daemon.close();
});

test('an author can repeat a change after each revert, and each time the change can be reverted', async () => {
  const pair = await new Pair().open();
  for (let time = 1; time <= 4; time += 1) {
    await pair.turn();
    await pair.wrote(pair.a, { 'a.txt': lines([2, 'by a']) });
    const { restored } = await pair.revert(pair.a, pair.a, { from: String(time) });
    assert.equal(restored, [{ path: 'a.txt' }], `time ${time}`);
  }
  await pair.daemon.close();
});

test('if an author reports the same content twice, the next change by another author counts as the work of both authors', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  // Agent `a` wrote twice before its first report. Therefore the report of agent `b` includes the second write of agent
  // `a`.
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a) });
  await pair.report(pair.a, 'shared.txt');
  await pair.wrote(pair.b, { 'shared.txt': lines(shared.a, shared.b) });
  await pair.turn();
  const { skipped } = await pair.revert(pair.a, pair.b);
  assert.equal(skipped, [{ path: 'shared.txt', reason: 'mixedAuthors' }]);
  await pair.daemon.close();
});

test('if the write of a file was reported late, the file counts as the work of two authors', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  write(pair.root, { 'shared.txt': lines(shared.b) });
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a, shared.b) });
  await pair.turn();
  await pair.report(pair.b, 'shared.txt');
  const result = await pair.revert(pair.a, pair.a);
  assert.is(pair.read('shared.txt'), lines(shared.a, shared.b));
  assert.equal(result.skipped, [{ path: 'shared.txt', reason: 'mixedAuthors' }]);
  await pair.daemon.close();
});

test("work that another session does while this session is closed does not count as this author's work", async () => {
  const pair = await new Pair().open();
  await pair.turn();
  await pair.daemon.call('session/close', { session: pair.a });
  await pair.wrote(pair.b, { 'shared.txt': lines(shared.b) });
  pair.a = await pair.openOne('codex:1');
  await pair.wrote(pair.a, { 'shared.txt': lines(shared.a, shared.b) });
  await pair.tool(pair.a);
  await pair.wrote(pair.a, { 'a.txt': lines([2, 'by a']) });
  await pair.turn();
  const result = await pair.revert(pair.a, pair.a);
  assert.is(pair.read('shared.txt'), lines(shared.a, shared.b));
  assert.equal(result.skipped, [{ path: 'shared.txt', reason: 'unknownAuthor' }]);
  assert.is(pair.read('a.txt'), lines());
  await pair.daemon.close();
});

test('work that was reported to another daemon, or for an inner work tree, is not attributed to the next author', async () => {
  const pair = await new Pair().open();
  const elsewhere = new InProcessDaemon(pair.daemon.storage);
  await pair.wrote(pair.b, { 'deep/shared.txt': lines(), 'deep/mine.txt': lines() });
  await pair.turn();
  const other = await elsewhere.open(pair.root, { conversationId: 'other', retention: 'keep' });
  const inner = await elsewhere.open(join(pair.root, 'deep'), { conversationId: 'inner', retention: 'keep' });
  await elsewhere.call('checkpoint/init', { session: inner.session });
  for (const [path, session, named] of [
    ['shared.txt', other.session, 'shared.txt'],
    ['deep/shared.txt', inner.session, 'shared.txt'],
  ] as const) {
    write(pair.root, { [path]: lines(shared.b) });
    await elsewhere.call('ledger/recordWrite', { session, path: named });
    await pair.wrote(pair.a, { [path]: lines(shared.a, shared.b) });
  }
  await pair.wrote(pair.a, { 'deep/mine.txt': lines(shared.a) });
  const result = await pair.revert(pair.a, pair.a);
  const reason = 'mixedAuthors' as const;
  assert.equal(
    result.skipped,
    ['deep/shared.txt', 'shared.txt'].map((path) => ({ path, reason })),
  );
  assert.equal(result.restored, [{ path: 'deep/mine.txt' }]);
  // If a log cannot be read, it may contain a report about any path.
  await elsewhere.close();
  const log = join(pair.daemon.storage, other.session, 'checkpointd/session.log');
  writeFileSync(log, readFileSync(log).fill(0, 100, 110));
  await pair.wrote(pair.a, { 'a.txt': lines(shared.a) });
  const { skipped } = await pair.revert(pair.a, pair.a);
  assert.equal(skipped.find(({ path }) => path === 'a.txt')?.reason, 'unknownAuthor');
  await pair.daemon.close();
});

test('a revert of one author skips a file if another author moved it or changed its mode', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  rmSync(join(pair.root, 'shared.txt'));
  await pair.wrote(pair.a, { 'moved.txt': lines(shared.a) });
  await pair.turn();
  const { skipped } = await pair.revert(pair.a, pair.a);
  assert.equal(
    skipped,
    ['moved.txt', 'shared.txt'].map((path) => ({ path, reason: 'unknownAuthor' })),
  );
  assert.is(pair.read('moved.txt'), lines(shared.a));
  await pair.daemon.close();
});

test('if an author deleted a file and reported this, a revert of the author brings the file back', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  rmSync(join(pair.root, 'a.txt'));
  await pair.report(pair.a, 'a.txt');
  const { restored } = await pair.revert(pair.b, pair.a);
  assert.equal(restored, [{ path: 'a.txt' }]);
  assert.is(pair.read('a.txt'), lines());
  await pair.daemon.close();
});

test('a request can name an author by the author’s session, or by the agent if only one session of this agent reported writes', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  await pair.wrote(pair.b, { 'b.txt': lines(shared.b) });
  await pair.turn();
  const { b } = pair;
  await pair.restart();
  await pair.daemon.call('session/close', { session: b });
  for (const author of [b, 'claude']) {
    const { restored } = await pair.revert(pair.a, author, { dryRun: true });
    assert.equal(restored, [{ path: 'b.txt' }], author);
  }
  const nothing = await pair.revert(pair.a, 'codex');
  assert.equal([nothing.paths, nothing.skipped], [[], []]);
  for (const author of ['unknown', '']) {
    const error = await failure(pair.revert(pair.a, author));
    assert.is(error.kind, 'UnknownPart');
    assert.is(error.details?.author, author);
  }
  const third = await pair.openOne('claude:2');
  await pair.daemon.call('checkpoint/create', { session: pair.a, kind: 'turn' });
  await pair.wrote(third, { 'a.txt': lines(shared.a) });
  const error = await failure(pair.revert(pair.a, 'claude', { from: '1' }));
  assert.is(error.kind, 'UnknownPart');
  assert.equal(error.details?.sessions, [b, third].sort());
  await pair.daemon.close();
});

test("a revert with only an author reverses the author's work in the whole session", async () => {
  const pair = await new Pair().open();
  const { a, b, daemon } = pair;
  await pair.wrote(a, { 'a.txt': lines(shared.a) });
  await pair.turn();
  await pair.wrote(a, { 'a.txt': lines(shared.a, [5, 'by a, too']) });
  await pair.wrote(b, { 'b.txt': lines(shared.b) });
  await pair.turn();
  await pair.wrote(a, { 'made by a.txt': 'a' });
  const { from, to, paths } = await daemon.call('checkpoint/revert', { session: a, author: a });
  const { checkpoints } = await daemon.call('checkpoint/list', { session: a });
  assert.equal([from, to], [checkpoints[0]?.id, undefined]);
  assert.equal(
    paths.map(({ path }) => path),
    ['a.txt', 'made by a.txt'],
  );
  assert.is(pair.read('a.txt'), lines());
  assert.is(pair.read('b.txt'), lines(shared.b));
  // The daemon refuses a request that has only the end of a range, or neither a range nor an author.
  for (const wrong of [{ author: a, to: '1' }, {}]) {
    const error = await failure(daemon.call('checkpoint/revert', { session: a, ...wrong }));
    assert.is(error.kind, 'InvalidParams');
  }
  await daemon.close();
});

test("a restore of one author reverses only the author's changes since the checkpoint", async () => {
  const pair = await new Pair().open();
  const { a, b, daemon } = pair;
  await pair.turn();
  await pair.wrote(a, { 'a.txt': lines(shared.a), 'made by a.txt': 'a' });
  await pair.wrote(b, { 'b.txt': lines(shared.b) });
  await pair.turn();
  write(pair.root, { 'by hand.txt': 'user' });
  const before = manifest(pair.root);
  const restore = (more: object): Promise<Wire.RestoreResult> =>
    daemon.call('checkpoint/restore', { session: a, tag: '1', author: 'codex', ...more });
  const plan = await restore({ mode: 'hard', dryRun: true });
  assert.equal([plan.restored, plan.deleted], [[{ path: 'a.txt' }], [{ path: 'made by a.txt' }]]);
  assert.equal(plan.skipped, [{ path: 'by hand.txt', reason: 'unknownAuthor' }]);
  assert.equal(manifest(pair.root), before);
  const soft = await restore({ idempotencyKey: 'soft' });
  assert.equal([soft.restored, soft.deleted, soft.conversation], [[{ path: 'a.txt' }], [], undefined]);
  assert.equal(
    ['a.txt', 'made by a.txt', 'b.txt', 'by hand.txt'].map((path) => pair.read(path)),
    [lines(), 'a', lines(shared.b), 'user'],
  );
  assert.is((await restore({ idempotencyKey: 'soft' })).checkpoint?.id, soft.checkpoint?.id);
  await daemon.call('checkpoint/undo', { session: a });
  assert.equal(manifest(pair.root), before);
  const part = await restore({ paths: [{ path: 'made by a.txt' }], mode: 'hard' });
  assert.equal([part.restored, part.deleted], [[], [{ path: 'made by a.txt' }]]);
  await daemon.call('checkpoint/undo', { session: a });
  for (const [wrong, kind] of [
    [{ scope: 'both' }, 'InvalidParams'],
    [{ author: 'cursor' }, 'UnknownPart'],
    [{ paths: [{ path: 'shared.txt' }] }, 'UnknownPart'],
  ] as const)
    assert.is((await failure(restore(wrong))).kind, kind);
  await daemon.call('checkpoint/restore', { session: a, tag: '1', mode: 'hard' });
  assert.is((await failure(restore({ tag: '2' }))).kind, 'InvalidRange');
  assert.equal(
    ['a.txt', 'b.txt'].map((path) => pair.read(path)),
    [lines(), lines()],
  );
  await daemon.close();
});

test('a revert of single hunks cannot be combined with an author or with paths', async () => {
  const pair = await new Pair().open();
  await pair.turn();
  await pair.wrote(pair.a, { 'a.txt': lines(shared.a) });
  const hunks = [{ path: 'a.txt', id: 'x' }];
  for (const other of [{ author: pair.a }, { paths: [{ path: 'a.txt' }] }]) {
    const params = { session: pair.a, tag: '1', hunks, ...other };
    assert.is((await failure(pair.daemon.call('checkpoint/revert', params))).kind, 'InvalidParams');
  }
  await pair.daemon.close();
});

test.run();
