import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repositoryState } from '../support/in-process-daemon.ts';
import { bareRepository, Machine } from '../support/machines.ts';
import { until } from '../support/until.ts';

const test = suite('sessions travel');
const machines: Machine[] = [];

async function machine(remote: string, files?: Record<string, string>): Promise<Machine> {
  const made = await Machine.make(remote, files);
  machines.push(made);
  return made;
}

test.after.each(async () => {
  await Promise.all(machines.splice(0).map((each) => each.close()));
});

for (const [from, to] of [
  ['shadow', 'shadow'],
  ['shadow', 'sqlite'],
  ['sqlite', 'local'],
  ['local', 'shadow'],
  ['sqlite', 'sqlite'],
] as const) {
  test(`a session with strategy ${from} can continue with strategy ${to} on another machine`, async () => {
    const remote = bareRepository();
    const container = await machine(remote);
    await container.open({ strategy: from });
    await container.say('hello');
    container.write('a.txt', 'changed\n');
    container.write('new/deep/file.bin', '\0\x01\xff');
    container.write('run.sh', '#!/bin/sh\n', 0o755);
    const first = await container.turn('first turn');
    await container.say('more');
    container.write('a.txt', 'changed again\n');
    const second = await container.turn('second turn');
    const pushed = await container.push();
    assert.is(pushed.pushed, true);
    assert.is(pushed.checkpoints, 3);
    assert.equal(pushed.left, []);

    const laptop = await machine(remote, { 'mine.txt': 'mine\n' });
    const imported = await laptop.import(pushed.session, { strategy: to });
    assert.is(imported.checkpoints, 3);
    assert.is(imported.head, second);
    assert.equal(
      (await laptop.checkpoints()).map(({ id, tag, description, timestamp }) => [
        id,
        tag,
        description,
        timestamp,
      ]),
      (await container.checkpoints()).map(({ id, tag, description, timestamp }) => [
        id,
        tag,
        description,
        timestamp,
      ]),
    );
    assert.equal(await laptop.history(), await container.history());
    const { origin } = await laptop.daemon.call('session/get', { session: laptop.session });
    assert.equal(origin, {
      remote: 'team',
      session: pushed.session,
      writer: pushed.writer,
      head: pushed.head,
    });
    await laptop.restore('2');
    assert.equal(laptop.files, container.files);
    await laptop.restore(first);
    assert.is(laptop.read('a.txt'), 'changed\n');
  });
}

test('a push without changes sends nothing, and a later push sends only new data', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const first = await one.push({ idempotencyKey: 'first' });
  assert.is((await one.push({ idempotencyKey: 'first' })).replayed, true);
  const again = await one.push();
  assert.equal([again.pushed, again.head, again.added], [false, first.head, 0]);
  one.write('a.txt', 'new\n');
  await one.turn('new');
  const next = await one.push();
  assert.equal([next.pushed, next.added, next.bytes], [true, 1, 4]);
  const log = execFileSync('git', ['log', '--format=%H', next.ref], { cwd: remote, encoding: 'utf8' });
  assert.equal(log.trim().split('\n'), [next.head, first.head]);
  execFileSync('git', ['fsck', '--strict'], { cwd: remote, stdio: 'pipe' });
});

test('if a request about a remote is repeated with the same idempotencyKey, it gets the first answer', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const { session } = await one.push();
  const { daemon, root: workspace } = await machine(remote);
  const requests = {
    'remote/add': { name: 'other', url: remote },
    'remote/fetch': { remote: 'team' },
    'session/import': { remote: 'team', session, workspace },
    'remote/delete': { remote: 'team', session },
    'remote/remove': { name: 'other' },
  } as const;
  for (const method of Object.keys(requests) as (keyof typeof requests)[]) {
    const params = { ...requests[method], idempotencyKey: method };
    const first = await daemon.call(method, params);
    assert.equal(await daemon.call(method, params), { ...first, replayed: true }, method);
  }
});

test('if a request about a remote is repeated after a restart with the same idempotencyKey, it gets the first answer', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const { session } = await one.push();
  const { root: workspace, daemon: made } = await machine(remote);
  const storage = made.storage;
  const requests = [
    ['remote/add', { name: 'other', url: remote }],
    ['remote/fetch', { remote: 'team' }],
    ['session/import', { remote: 'team', session, workspace }],
    ['remote/delete', { remote: 'team', session }],
    ['remote/remove', { name: 'other' }],
  ] as const;
  for (const [method, asked] of requests) {
    const params = { ...asked, idempotencyKey: method };
    const [first, later] = [new InProcessDaemon(storage), new InProcessDaemon(storage)];
    const answer = await first.call(method, params);
    await first.close();
    assert.equal(await later.call(method, params), { ...answer, replayed: true }, method);
    const other = later.call('remote/fetch', { remote: 'team', session, idempotencyKey: method });
    assert.is((await failure(other)).kind, 'IdempotencyConflict', method);
    await later.close();
  }
  assert.is((await made.call('session/list', {})).sessions.length, 1);
});

test('an import with strategy local stores the contents of the session as one pack, without contents of other sessions', async () => {
  const remote = bareRepository();
  const container = await machine(remote);
  await container.open();
  for (let n = 0; n < 60; n += 1) container.write(`file-${n}`, `content ${n}\n`);
  await container.turn('first');
  const { session } = await container.push();
  const stranger = await machine(remote, { 'other.txt': 'of another session\n' });
  await stranger.open({ conversationId: 'other' });
  await stranger.push();
  const laptop = await machine(remote);
  const loose = (): number =>
    Number(
      /count: (\d+)/.exec(execFileSync('git', ['count-objects', '-v'], { cwd: laptop.root }).toString())?.[1],
    );
  const before = loose();
  await laptop.daemon.call('remote/fetch', { remote: 'team' });
  await laptop.import(session, { strategy: 'local' });
  assert.ok(loose() - before < 20, `${loose() - before} loose objects`);
  const other = execFileSync('git', ['hash-object', 'other.txt'], { cwd: stranger.root }).toString().trim();
  const found = spawnSync('git', ['cat-file', '-e', other], { cwd: laptop.root });
  assert.is(found.status, 1);
  await laptop.restore('1');
  assert.equal(laptop.files, container.files);
});

test('if an import is repeated with the same idempotencyKey, it gets the first answer, even if the daemon died before it logged this answer', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const { session } = await one.push();
  const { root: workspace, daemon } = await machine(remote);
  const params = { remote: 'team', session, workspace, idempotencyKey: 'once' };
  const first = await daemon.call('session/import', params);
  const file = join(daemon.storage, 'remotes.keys');
  const isNote = (line: string): boolean => line.includes('"kind":"import"');
  // Simulates the death of two daemons: one between the commit and the answer, one during a write to this file.
  const text = readFileSync(file, 'utf8').split('\n').filter(isNote).join('\n');
  writeFileSync(file, `${text}\n{"kind":"oper`);
  const later = new InProcessDaemon(daemon.storage);
  const { ms: _, ...again } = await later.call('session/import', params);
  const { ms: __, ...before } = first;
  assert.equal(again, { ...before, replayed: true });
  await later.call('session/delete', { session: first.session });
  await later.close();
  writeFileSync(file, `${text}\n`);
  const last = new InProcessDaemon(daemon.storage);
  assert.is((await last.call('session/import', params)).replayed, undefined, 'what is gone is no answer');
  await last.close();
});

test('if a push leaves out a file whose name is not UTF-8, the answer has the bytes of the name', async () => {
  const one = await machine(bareRepository());
  await one.open();
  const name = Buffer.concat([Buffer.from('.env.'), Buffer.from([0xff])]);
  writeFileSync(Buffer.concat([Buffer.from(`${one.root}/`), name]), 'A=1\n');
  await one.turn('with a secret');
  const { left } = await one.push();
  assert.equal(
    left.map(({ pathBytes }) => pathBytes),
    [name.toString('base64')],
  );
});

test("a push, a fetch and an import do not change the user's repository", async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const two = await machine(remote);
  const before = [repositoryState(one.root), repositoryState(two.root), two.files];
  const { session } = await one.push();
  await two.daemon.call('remote/fetch', { remote: 'team' });
  await two.daemon.call('session/import', { remote: 'team', session, workspace: two.root });
  assert.equal([repositoryState(one.root), repositoryState(two.root), two.files], before);
});

test('a push leaves out secrets, private files and ignored files; a hard restore on another machine keeps files of these kinds', async () => {
  const remote = bareRepository();
  const key = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');
  const one = await machine(remote, { 'a.txt': 'a\n', '.gitignore': 'dist/\n.env\n' });
  await one.open({ include: ['dist/', 'dist/**', '.env'] });
  one.write('.env', 'A=1\n');
  one.write('dist/x.js', 'x\n');
  one.write('dist/y.js', 'y\n');
  one.write('private.txt', 'mine\n', 0o600);
  one.write('config.json', `{"key": "${key}"}\n`);
  one.write('notes/secret.txt', 'no\n');
  await one.turn('with secrets');
  const weighed = await one.push({ dryRun: true, leaveOut: ['notes/'] });
  assert.is(weighed.pushed, false);
  const pushed = await one.push({ leaveOut: ['notes/'] });
  const byPath = [...pushed.left].sort((a, b) => (a.path < b.path ? -1 : 1));
  const left = byPath.map(({ path, because, rule }) => [path, because, rule]);
  assert.equal(left, [
    ['.env', 'pattern', undefined],
    ['config.json', 'secret', 'awsKey'],
    ['dist', 'included', undefined],
    ['notes', 'leftOut', undefined],
    ['private.txt', 'strictMode', undefined],
  ]);
  assert.equal(weighed.left, pushed.left);
  const objects = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: remote });
  assert.not(objects.includes(key) || objects.includes('mine\n') || objects.includes('A=1'));

  const two = await machine(remote, { 'a.txt': 'b\n', '.gitignore': 'dist/\n.env\n' });
  two.write('.env', 'B=2\n');
  two.write('private.txt', 'theirs\n');
  two.write('config.json', '{}\n');
  two.write('dist/z.js', 'z\n');
  two.write('made-here.txt', 'x\n');
  await two.import(pushed.session);
  const restored = await two.restore('1');
  assert.equal(two.read('a.txt'), 'a\n');
  assert.equal(
    ['.env', 'private.txt', 'config.json', 'dist/z.js'].map((path) => two.read(path)),
    ['B=2\n', 'theirs\n', '{}\n', 'z\n'],
  );
  assert.equal(restored.deleted, [{ path: 'made-here.txt' }]);

  const named = await one.push({ send: ['.env', 'config.json', 'dist/'], leaveOut: ['notes/'] });
  assert.equal(named.left.map(({ path }) => path).sort(), ['notes', 'private.txt']);
});

test('if two machines continue from one checkpoint, the later push reports that the other machine also continued', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  one.write('a.txt', 'together\n');
  await one.turn('together');
  const first = await one.push();
  const two = await machine(remote);
  await two.import(first.session);
  await two.restore('1');
  two.write('a.txt', 'two\n');
  await two.turn('two goes on');
  one.write('a.txt', 'one\n');
  await one.turn('one goes on');
  const packed = (): number =>
    execFileSync('git', ['count-objects'], { cwd: remote, encoding: 'utf8' }).split(' ').map(Number)[0] ?? 0;
  const before = packed();
  const ofTwo = await two.push();
  assert.ok(packed() - before < 20, 'an imported session sends what is new in it');
  assert.equal([ofTwo.added, ofTwo.bytes], [2, 4], 'the restore and the turn');
  const ofOne = await one.push();
  assert.is(ofTwo.session, first.session);
  assert.equal(ofOne.others, [{ writer: ofTwo.writer, head: ofTwo.head }]);
  assert.equal(
    one.daemon.told.filter(({ method }) => method === 'remote/didFindLine').map(({ params }) => params),
    [{ session: one.session, remote: 'team', line: { writer: ofTwo.writer, head: ofTwo.head } }],
  );
  const { lines } = await one.daemon.call('remote/sessions', { remote: 'team' });
  assert.equal(
    lines.map(({ writer, own, origin }) => [writer, own, origin]),
    [
      [ofOne.writer, true, undefined],
      [ofTwo.writer, false, { session: first.session, writer: first.writer, head: first.head }],
    ],
  );
  const three = await machine(remote);
  await three.import(first.session, { writer: ofTwo.writer });
  await three.restore('2');
  assert.is(three.read('a.txt'), 'two\n');
});

test('a session that was deleted on the remote cannot be pushed again by any machine', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const { session, ref } = await one.push();
  const two = await machine(remote);
  await two.import(session);
  const { deleted } = await two.daemon.call('remote/delete', { remote: 'team', session });
  assert.equal(deleted, [ref]);
  for (const each of [one, two]) {
    const error = await each.push().catch((reason: unknown) => reason);
    assert.ok(error instanceof CheckpointdError && error.kind === 'RemoteRefused');
    assert.is(error.details?.['reason'], 'deleted');
  }
  const listed = await one.daemon.call('remote/sessions', { remote: 'team' });
  assert.equal([listed.lines, listed.deleted], [[], [session]]);
  assert.equal((await one.daemon.call('remote/delete', { remote: 'team', session })).deleted, []);
});

test('if a container is cloned, the clone pushes under a new id, so that both can push all their checkpoints', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const first = await one.push();
  await one.daemon.daemon.stop('signal');
  const clone = Machine.over(one.root, join(one.daemon.storage, '..', 'clone'));
  machines.push(clone);
  cpSync(one.daemon.storage, clone.daemon.storage, { recursive: true });
  const back = Machine.over(one.root, one.daemon.storage);
  machines.push(back);
  await back.open();
  back.write('a.txt', 'original\n');
  await back.turn('in the original');
  const original = await back.push();
  assert.is(original.writer, first.writer);
  await back.close();
  await clone.open();
  clone.write('a.txt', 'clone\n');
  await clone.turn('in the clone');
  const cloned = await clone.push();
  assert.is.not(cloned.writer, first.writer);
  assert.match(cloned.warnings?.[0] ?? '', /now has a new id/);
  assert.equal(cloned.others, [{ writer: original.writer, head: original.head }]);
  const { updated, refused } = await clone.daemon.call('remote/fetch', { remote: 'team' });
  assert.equal([updated.length, refused], [2, []]);
});

test('a session is pushed after each turn; a failed push is repeated when the remote is back', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open({ remote: 'team', push: 'turn' });
  const told = (): Record<string, unknown>[] =>
    one.daemon.told
      .filter(({ method }) => method === 'remote/didPush')
      .map(({ params }) => ({ ...(params as object) }));
  const newest = async (pushed: boolean): Promise<Record<string, unknown>> => {
    const before = told().length;
    await until(
      'a push is reported',
      () =>
        told()
          .slice(before)
          .some((each) => each['pushed'] === pushed),
      20_000,
    );
    return told().at(-1) ?? {};
  };
  assert.is((await newest(true))['session'], one.session);
  one.write('a.txt', 'one\n');
  one.write('.env', 'A=1\n');
  await one.turn('first');
  assert.is((await newest(true))['leftCount'], 1);
  const { lines } = await one.daemon.call('remote/sessions', { remote: 'team' });
  assert.equal(
    lines.map(({ checkpoints }) => checkpoints),
    [2],
  );
  renameSync(remote, `${remote}.away`);
  await one.turn('second');
  const failed = await newest(false);
  assert.equal((failed['error'] as { kind: string }).kind, 'RemoteRefused');
  renameSync(`${remote}.away`, remote);
  await one.say('the end of the turn');
  await newest(true);
  await one.open({ remote: 'team', push: 'manual' });
  await one.turn('third');
  const manual = await one.push();
  assert.equal([manual.pushed, manual.checkpoints], [true, 4]);
});

test('if two copies of a storage push at the same time, the remote gets all checkpoints of both', async () => {
  const remote = bareRepository();
  const one = await machine(remote);
  await one.open();
  const first = await one.push();
  await one.daemon.daemon.stop('signal');
  const copy = join(one.daemon.storage, '..', 'clone');
  cpSync(one.daemon.storage, copy, { recursive: true });
  const pair = [Machine.over(one.root, one.daemon.storage), Machine.over(one.root, copy)];
  machines.push(...pair);
  for (const [number, each] of pair.entries()) {
    await each.open();
    each.write('a.txt', `${number}\n`);
    await each.turn(`turn of ${number}`);
  }
  const pushed = await Promise.all(pair.map((each) => each.push()));
  const writers = pushed.map(({ writer }) => writer);
  assert.is(new Set(writers).size, 2);
  assert.ok(writers.includes(first.writer), 'the winner keeps the id');
  const laptop = await machine(remote);
  for (const [number, { writer, session }] of pushed.entries()) {
    await laptop.import(session, { writer });
    await laptop.restore('1');
    assert.is(laptop.read('a.txt'), `${number}\n`);
  }
});

test('even if clocks are a century wrong, no checkpoint is lost, and a deletion by one machine is obeyed', async () => {
  const remote = bareRepository();
  execFileSync('git', ['config', 'receive.fsckObjects', 'true'], { cwd: remote });
  const [past, future, now] = [await machine(remote), await machine(remote), await machine(remote)];
  await past.open();
  await past.turn('before');
  const first = await inYear(2100, () => past.push());
  past.write('a.txt', 'of 1969\n');
  await past.turn('the clock went back');
  const { session, writer, head } = await inYear(1969, () => past.push());
  assert.equal([session, writer], [first.session, first.writer]);
  await inYear(2100, async () => {
    await future.import(session);
    await future.restore('2');
    future.write('a.txt', 'of 2100\n');
    await future.turn('of 2100');
    await future.push();
  });
  const { lines } = await now.daemon.call('remote/sessions', { remote: 'team' });
  const years = lines.map(({ updatedAt }) => updatedAt.slice(0, 4));
  assert.equal(years, ['2100', '1969'], 'newest first, as each writer says');
  await now.import(session, { writer });
  await now.restore('2');
  assert.is(now.read('a.txt'), 'of 1969\n');
  past.write('a.txt', 'later\n');
  await past.turn('later');
  const later = await past.push();
  const { updated, refused } = await now.daemon.call('remote/fetch', { remote: 'team' });
  assert.equal([updated.map((line) => line.head), refused], [[later.head], []]);
  assert.is.not(later.head, head);
  await inYear(1969, () => past.daemon.call('remote/delete', { remote: 'team', session }));
  for (const each of [past, future, now])
    assert.equal((await failure(each.push())).details?.['reason'], 'deleted');
});

/** Runs work while the clock of this process shows a day of another year. */
async function inYear<T>(year: number, work: () => Promise<T>): Promise<T> {
  const Real = Date;
  const shift = Real.UTC(year, 6, 1) - Real.now();
  class Shifted extends Real {
    constructor(...of: [] | [number | string | Date]) {
      super(of.length === 0 ? Real.now() + shift : of[0]);
    }

    static override now(): number {
      return Real.now() + shift;
    }
  }
  globalThis.Date = Shifted as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = Real;
  }
}

for (const strategy of ['shadow', 'sqlite'])
  test(`a request to push a secret applies to one push, and the next push leaves the secret out (${strategy})`, async () => {
    const remote = bareRepository();
    const one = await machine(remote);
    await one.open({ strategy });
    one.write('config.json', ['AKIA', 'ABCDEFGHIJKLMNOP'].join(''));
    await one.turn('with a secret');
    const names = ({ left }: { readonly left: readonly { readonly path: string }[] }): string[] =>
      left.map(({ path }) => path);
    assert.equal(names(await one.push()), ['config.json']);
    assert.equal(names(await one.push({ send: ['config.json'] })), []);
    assert.equal(names(await one.push()), ['config.json']);
    one.write('a.txt', 'next\n');
    await one.turn('next');
    const next = await one.push();
    assert.equal([next.added, names(next)], [1, ['config.json']]);
    const two = await machine(remote);
    await two.import(next.session);
    await two.restore('2');
    assert.equal(Object.keys(two.files), ['a.txt', 'src/b.txt']);
  });

test.run();
