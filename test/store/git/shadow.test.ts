import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { SnapshotId, Tag } from '../../../src/base/ids.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { shadowDriver } from '../../../src/store/git/shadow-driver.ts';
import {
  capture,
  contents,
  git,
  inTemporary,
  path,
  readAll,
  record,
  storeOptions,
  type TestFile,
} from '../../support/git-oracle.ts';
import { checkPropertyAsync } from '../../support/property.ts';

const tag = (text: string): Tag => text as Tag;
/** Too large to be stored in process: a git child is asked. */
const large = (text: string): string => text.repeat(200_000);

async function withShadow(body: (store: GitStore, shadow: string) => Promise<void>): Promise<void> {
  await inTemporary(async (directory) => {
    const store = await open(directory);
    try {
      await body(store, join(directory, 'session'));
    } finally {
      await store.close();
    }
  });
}

const open = async (directory: string): Promise<GitStore> =>
  (await shadowDriver.open(storeOptions(directory))) as GitStore;

const isKind =
  (kind: string) =>
  (error: unknown): boolean =>
    error instanceof CheckpointdError && error.kind === kind;

async function rejects(promise: Promise<unknown>, kind: string): Promise<void> {
  try {
    await promise;
  } catch (error) {
    assert.ok(isKind(kind)(error), `${kind}, not ${String(error)}`);
    return;
  }
  assert.unreachable(`${kind} expected`);
}

test('the shadow is laid out as specified, private, with the specified settings (Q10)', () =>
  withShadow(async (store, shadow) => {
    const there = readdirSync(shadow, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of [
      'HEAD',
      'config',
      'description',
      'hooks',
      'info/exclude',
      'objects/info',
      'objects/pack',
      'refs/heads',
      'refs/tags',
    ]) {
      assert.ok(there.includes(name), `${name} is there`);
    }
    assert.equal(readdirSync(join(shadow, 'hooks')), []);
    assert.is(statSync(shadow).mode & 0o777, 0o700);
    const config = (key: string): string => git(shadow, '--git-dir=.', 'config', '--local', key).trim();
    assert.is(config('user.name'), 'Q');
    assert.is(config('user.email'), 'qcli@local');
    assert.is(config('core.preloadindex'), 'true');
    assert.is(config('core.bare'), 'true');
    assert.is(store.spoolDirectory, join(shadow, 'checkpointd', 'spool'));
    assert.equal(await store.checkpoints(), []);
  }));

const name = fc
  .string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 4,
  })
  .filter((text) => !text.includes('/') && !['.', '..', '.git', 'git~1'].includes(text.toLowerCase()));
const file: fc.Arbitrary<TestFile> = fc.record({
  bytes: fc.uint8Array({ maxLength: 40 }),
  mode: fc.constantFrom('100644', '100755'),
});
const leaf = fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), file), { maxLength: 12 });

/** Writes a tree to disk as far as names do not collide, and returns what is there. */
function build(directory: string, leaves: [string[], TestFile][]): Record<string, TestFile> {
  const tree: Record<string, TestFile> = {};
  for (const [parts, each] of leaves) {
    const at = parts.join('/');
    const clash = Object.keys(tree).some(
      (other) => `${other}/`.startsWith(`${at}/`) || `${at}/`.startsWith(`${other}/`),
    );
    if (clash) continue;
    const target = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(at, 'latin1')]);
    mkdirSync(target.subarray(0, target.lastIndexOf(47)), { recursive: true });
    writeFileSync(target, each.bytes);
    chmodSync(target, each.mode === '100755' ? 0o755 : 0o644);
    tree[at] = each;
  }
  return tree;
}

test('the tree id is that of git add -A and git write-tree, and everything is read back byte for byte', () =>
  inTemporary(async (directory) => {
    const store = await open(directory);
    let run = 0;
    try {
      await checkPropertyAsync(
        leaf,
        async (leaves) => {
          run += 1;
          const work = join(directory, `work${run}`);
          mkdirSync(work);
          const tree = build(work, leaves);
          git(work, 'init', '-q');
          git(work, '-c', 'core.fileMode=true', 'add', '-A', '-f');
          const expected = git(work, 'write-tree').trim();
          const { snapshot } = await capture(store, tree);
          assert.is(snapshot, expected);
          const back = await contents(store, snapshot);
          assert.equal(Object.keys(back).sort(), Object.keys(tree).sort()); // an object puts "0" before "\x01"
          for (const [at, { bytes }] of Object.entries(tree))
            assert.equal(back[at], Buffer.from(bytes).toString('latin1'));
        },
        40,
      );
      git(directory, '--git-dir=session', 'fsck', '--strict', '--full');
    } finally {
      await store.close();
    }
  }));

test('names of any bytes survive: newline, carriage return, quotes, dashes, not UTF-8, pathspec magic (Q32)', () =>
  withShadow(async (store, shadow) => {
    const names = [
      'new\nline',
      'cr\r',
      '"quoted"',
      '-x',
      '--upload-pack=x',
      ':(top)x',
      ':!x',
      '*',
      '?',
      '[a]',
      '\\n',
      ' lead',
      'trail ',
      'tab\tx',
      '\xff\xfe',
      '\xe9',
      '\x01',
      "'",
      '$(x)',
      'a'.repeat(255),
      '.gitx',
    ];
    assert.is(names.length, 21);
    const tree = Object.fromEntries(names.map((each, index) => [each, `content ${index}`]));
    const { snapshot } = await capture(store, { ...tree, 'd\nir/\xff': 'below' });
    assert.equal(
      await contents(store, snapshot),
      Object.fromEntries(
        Object.entries({ ...tree, 'd\nir/\xff': 'below' }).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    );
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
  }));

test('equal contents give equal ids, strict permissions are part of the id and come back', () =>
  withShadow(async (store) => {
    const plain = await capture(store, { '.env': 'K=1', 'd/f': 'x' });
    const again = await capture(store, { 'd/f': 'x', '.env': 'K=1' });
    assert.is(again.snapshot, plain.snapshot);
    const secret: TestFile = { bytes: Buffer.from('K=1'), permissions: 0o600 };
    const strict = await capture(store, { '.env': secret, 'd/f': 'x' });
    assert.is.not(strict.snapshot, plain.snapshot);
    assert.is((await store.entry(strict.snapshot, path('.env')))?.permissions, 0o600);
    assert.is((await store.entry(strict.snapshot, path('d/f')))?.permissions, undefined);
    const changes = await store.changes(plain.snapshot, strict.snapshot);
    assert.equal(
      changes.map((change) => [change.path, change.before?.permissions, change.after?.permissions]),
      [['.env', undefined, 0o600]],
    );
    const root = await store.directory(strict.snapshot);
    const writer = store.writer();
    assert.is(await writer.seal(root), strict.snapshot);
    const below = root.entries.get('d');
    assert.ok(below !== undefined && 'entries' in below);
    below.permissions = 0o700;
    const locked = await store.writer().seal(root);
    assert.is((await store.directoryPermissions(locked)).get(path('d')), 0o700);
    await store.publish({ record: record(1, locked) });
    await store.sweep();
    assert.is((await store.entry(locked, path('.env')))?.permissions, 0o600);
  }));

test('changes are the paths that differ, with files that became directories and back', () =>
  withShadow(async (store) => {
    const a = await capture(store, { same: '1', 'x/y': '2', z: '3', 'deep/er/f': '4' });
    const b = await capture(store, { same: '1', x: '5', 'z/z': '3', 'deep/er/f': '4', 'deep/new': '6' });
    const changes = await store.changes(a.snapshot, b.snapshot);
    const shape = changes.map(({ path, before, after }) => `${before ? '-' : ''}${after ? '+' : ''}${path}`);
    assert.equal(shape, ['+deep/new', '+x', '-x/y', '-z', '+z/z']);
    assert.equal(await store.changes(a.snapshot, a.snapshot), []);
    assert.equal(
      (await store.entries(a.snapshot, path('x'))).map((entry) => entry.path),
      ['x/y'],
    );
    assert.equal(
      (await store.entries(a.snapshot, path('z'))).map((entry) => entry.path),
      ['z'],
    );
    assert.equal(await store.entries(a.snapshot, path('nope')), []);
  }));

test('git tag lists the tags, the subject is the description, and any record comes back verbatim (Q3)', () =>
  withShadow(async (store, shadow) => {
    const { snapshot } = await capture(store, { f: '1' });
    const nasty =
      'First line\n\ncheckpointd-record-1\n{"id":"ckpt_x"}\n\nSigned-off-by: x\r\u001b[31mred\0 \ud800 \u2028é\n';
    const first = record(1, snapshot, {
      description: nasty,
      message: nasty,
      skipped: [{ path: path('\xff\n'), reason: 'fifo' }],
    });
    await store.publish({ record: first, tag: tag('0'), name: 'before the storm' });
    await store.publish({ record: record(2, snapshot, { description: '' }), tag: tag('1') });
    await store.publish({ record: record(3, snapshot, { description: 'Read é' }), tag: tag('1.1') });
    assert.is(git(shadow, '--git-dir=.', 'tag'), '0\n1\n1.1\n');
    assert.is(git(shadow, '--git-dir=.', 'log', '-1', '--format=%s', '1.1'), 'Read é\n');
    assert.is(git(shadow, '--git-dir=.', 'log', '-1', '--format=%an <%ae>', '1.1'), 'Q <qcli@local>\n');
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    const list = await store.checkpoints();
    assert.equal(list[0]?.record, first);
    assert.equal(
      list.map(({ tag, name }) => [tag, name]),
      [
        ['0', 'before the storm'],
        ['1', undefined],
        ['1.1', undefined],
      ],
    );
  }));

test('a tag moves in one step to its new bearer; rename and remove take what belongs to them (Q17)', () =>
  withShadow(async (store, shadow) => {
    const { snapshot } = await capture(store, { f: '1' });
    const [one, two] = [record(1, snapshot), record(2, snapshot)];
    const long = 'n'.repeat(128);
    await store.publish({ record: one, tag: tag('1'), name: long });
    const { commit } = await store.publish({ record: two, tag: tag('1'), name: 'two' });
    assert.is(git(shadow, '--git-dir=.', 'rev-parse', 'refs/tags/1').trim(), commit);
    assert.equal(
      (await store.checkpoints()).map(({ tag, name }) => [tag, name]),
      [
        [undefined, long],
        ['1', 'two'],
      ],
    );
    await store.rename(one.id, 'naïve/name with ..');
    await store.rename(two.id, undefined);
    assert.equal(
      (await store.checkpoints()).map(({ name }) => name),
      ['naïve/name with ..', undefined],
    );
    await store.remove([two.id]);
    assert.equal(
      (await store.checkpoints()).map(({ record, tag }) => [record.id, tag]),
      [[one.id, undefined]],
    );
    assert.is(git(shadow, '--git-dir=.', 'tag'), '');
    await rejects(store.rename(two.id, 'x'), 'UnknownCheckpoint');
    for (const bad of ['-d', '../x', 'HEAD', '1/1', '01', '1\n2', '--upload-pack=x']) {
      await rejects(store.publish({ record: record(9, snapshot), tag: tag(bad) }), 'InvalidTag');
    }
    assert.is((await store.checkpoints()).length, 1);
  }));

test('many blobs go into one pack and few as loose objects; both are read back', () =>
  withShadow(async (store, shadow) => {
    const many = Object.fromEntries(
      Array.from({ length: 700 }, (_, index) => [`d${index % 10}/f${index}`, `content ${index}`]),
    );
    const { snapshot } = await capture(store, many);
    assert.ok(readdirSync(join(shadow, 'objects', 'pack')).some((each) => each.endsWith('.pack')));
    const sorted = Object.fromEntries(Object.entries(many).sort(([a], [b]) => (a < b ? -1 : 1)));
    assert.equal(await contents(store, snapshot), sorted);
    const few = await capture(store, { ...many, 'd0/f0': 'edited' });
    assert.is((await contents(store, few.snapshot))['d0/f0'], 'edited');
    await store.publish({ record: record(1, few.snapshot), tag: tag('1') });
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    assert.equal(readdirSync(store.spoolDirectory), []);
    assert.equal(await store.verify(), []);
  }));

test('many directories go into one pack as well, and few as loose objects', () =>
  withShadow(async (store, shadow) => {
    const loose = (): string[] =>
      readdirSync(join(shadow, 'objects')).filter((name) => /^[0-9a-f]{2}$/.test(name));
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`d${index}/f`, `${index}`]));
    const { snapshot } = await capture(store, many);
    assert.equal(loose(), []);
    const sorted = Object.fromEntries(Object.entries(many).sort(([a], [b]) => (a < b ? -1 : 1)));
    assert.equal(await contents(store, snapshot), sorted);
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    assert.equal(await store.verify(), []);
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    const few = await capture(store, { ...many, 'd0/f': 'edited' });
    assert.ok(loose().length > 0);
    assert.is((await contents(store, few.snapshot))['d0/f'], 'edited');
    assert.equal(readdirSync(store.spoolDirectory), []);
  }));

test('contents over 8 MiB come in chunks, whole or in part, from a spool file or from memory', () =>
  withShadow(async (store) => {
    const bytes = Buffer.alloc(20 << 20, 'checkpoint');
    bytes.writeUInt32BE(12345, 15 << 20);
    const spool = join(store.spoolDirectory, 'big');
    writeFileSync(spool, bytes);
    const hash = store.hash(bytes.length);
    hash.update(bytes);
    const blob = hash.digest();
    const writer = store.writer();
    await writer.addBlob(blob, { kind: 'spool', file: spool, size: bytes.length });
    await writer.seal({ entries: new Map([['big', { mode: '100644', blob }]]) });
    assert.not.ok(existsSync(spool));
    assert.equal(await store.sizes([blob, '1'.repeat(40) as never]), [bytes.length, -1]);
    assert.ok((await readAll(store, blob)).equals(bytes));
    const part: Uint8Array[] = [];
    for await (const chunk of store.read(blob, { offset: (15 << 20) - 2, length: 8 })) part.push(chunk);
    assert.ok(Buffer.concat(part).equals(bytes.subarray((15 << 20) - 2, (15 << 20) + 6)));
  }));

test('a child killed in the middle does not fail the work: the next one goes on (F61)', () =>
  withShadow(async (store, shadow) => {
    let seq = 0;
    let killed = 0;
    const until = Date.now() + 4000;
    while (Date.now() < until) {
      seq += 1;
      const kill = setTimeout(() => {
        const pids = store.pids;
        const pid = pids[seq % Math.max(1, pids.length)];
        if (pid === undefined) return;
        try {
          process.kill(pid, 'SIGKILL');
          killed += 1;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }, seq % 12);
      const { snapshot } = await capture(store, { f: large(`${seq}`), [`d/${seq}`]: `${seq}` });
      await store.publish({ record: record(seq, snapshot), tag: tag(String(seq % 5)), name: `n${seq}` });
      clearTimeout(kill);
    }
    assert.ok(killed > 10, `children were killed (${killed} of ${seq})`);
    const list = await store.checkpoints();
    assert.equal(
      list.map(({ record }) => record.seq),
      Array.from({ length: seq }, (_, index) => index + 1),
    );
    assert.ok(list.every(({ record, name }) => name === `n${record.seq}`));
    assert.equal(
      list.slice(-5).map(({ record, tag }) => tag === String(record.seq % 5)),
      [true, true, true, true, true],
    );
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    assert.equal(await store.verify(), []);
  }));

test('a stalled child is killed and replaced, and the request is answered (F62)', () =>
  withShadow(async (store) => {
    const { snapshot } = await capture(store, { f: 'one' });
    await contents(store, snapshot);
    assert.ok(store.pids.length > 0);
    for (const pid of store.pids) process.kill(pid, 'SIGSTOP');
    const started = Date.now();
    assert.equal(await contents(store, snapshot), { f: 'one' });
    assert.ok(Date.now() - started < 20_000);
  }));

test('a corrupt ref, a garbled config, a lost HEAD: repaired at open, the others are listed (F58)', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    let store = await open(directory);
    const { snapshot } = await capture(store, { f: '1' });
    for (const seq of [1, 2, 3]) {
      await store.publish({
        record: record(seq, snapshot, { madeAs: tag(String(seq)) }),
        tag: tag(String(seq)),
        ...(seq === 3 ? { name: 'drei/\n' } : {}),
      });
    }
    const [named = ''] =
      git(shadow, '--git-dir=.', 'for-each-ref', '--format=%(refname)').match(/\S+names\S+/) ?? [];
    const lost = (await store.checkpoints())[1]?.record.id ?? '';
    await store.close();
    writeFileSync(join(shadow, 'refs/tags/1'), '');
    writeFileSync(join(shadow, `refs/checkpointd/checkpoints/${lost}`), 'garbage');
    writeFileSync(join(shadow, named), 'garbage');
    writeFileSync(join(shadow, 'config'), '\0\0\0');
    rmSync(join(shadow, 'HEAD'));
    rmSync(join(shadow, 'refs/heads'), { recursive: true });
    store = await open(directory);
    assert.equal(
      (await store.checkpoints()).map(({ tag }) => tag),
      ['1', '2', '3'],
    );
    assert.is(
      (await store.checkpoints())[2]?.name,
      'drei/\n',
      'a name is given back to the checkpoint it names',
    );
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    const commit = git(shadow, '--git-dir=.', 'rev-parse', 'refs/tags/2').trim();
    rmSync(join(shadow, 'objects', commit.slice(0, 2), commit.slice(2)));
    await store.close();
    store = await open(directory);
    assert.equal(
      (await store.checkpoints()).map(({ tag }) => tag),
      ['1', '3'],
    );
    assert.equal(await store.verify(), [{ kind: 'missing', what: commit, affects: [lost] }]);
    await store.close();
  }));

for (const [how, text] of [
  ['no JSON', '{'],
  ['no list', '{}'],
  ['another than was written', '{"changes":[{"ref":"refs/tags/2","to":null}],"sum":"00000000"}'],
  ['of refs that are none', '[{"ref":"HEAD","to":null}]'],
] as const)
  test(`the note of a transaction that is ${how} is put aside and told, and nothing is moved (F58)`, () =>
    inTemporary(async (directory) => {
      const shadow = join(directory, 'session');
      let store = await open(directory);
      const { snapshot } = await capture(store, { f: '1' });
      for (const seq of [1, 2]) await store.publish({ record: record(seq, snapshot), tag: tag(String(seq)) });
      await store.close();
      writeFileSync(join(shadow, 'checkpointd/ref-intent.json'), text);
      store = await open(directory);
      assert.equal(
        (await store.checkpoints()).map(({ tag }) => tag),
        ['1', '2'],
      );
      const [problem] = await store.verify();
      assert.is(problem?.kind, 'corrupt');
      assert.match(problem?.what ?? '', 'ref-intent.json.damaged-');
      assert.is(readFileSync(problem?.what ?? '', 'utf8'), text);
      await store.close();
    }));

test('stale locks, temporary objects and spool files of a dead daemon are gone after open (F59)', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    await (await open(directory)).close();
    mkdirSync(join(shadow, 'objects/aa'));
    const stale = [
      'index.lock',
      'refs/tags/2.lock',
      'packed-refs.lock',
      'HEAD.lock',
      'objects/aa/tmp_obj_x',
      'objects/pack/tmp_pack_x',
      'checkpointd/spool/x',
    ];
    for (const each of stale) writeFileSync(join(shadow, each), '');
    const store = await open(directory);
    for (const each of stale) assert.not.ok(existsSync(join(shadow, each)), `${each} is gone`);
    const { snapshot } = await capture(store, { f: '1' });
    await store.publish({ record: record(1, snapshot), tag: tag('2') });
    await store.close();
  }));

test('a transaction that a kill tore is finished at the next open', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    let store = await open(directory);
    const { snapshot } = await capture(store, { f: '1' });
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    const { commit } = await store.publish({ record: record(2, snapshot) });
    await store.close();
    const id = record(1, snapshot).id;
    const changes = [
      { ref: 'refs/tags/1', to: commit },
      { ref: `refs/checkpointd/checkpoints/${id}`, to: null },
    ];
    writeFileSync(join(shadow, 'checkpointd/ref-intent.json'), JSON.stringify(changes));
    writeFileSync(join(shadow, 'refs/tags/1.lock'), '');
    store = await open(directory);
    assert.equal(
      (await store.checkpoints()).map(({ record, tag }) => [record.seq, tag]),
      [[2, '1']],
    );
    assert.not.ok(existsSync(join(shadow, 'checkpointd/ref-intent.json')));
    await store.close();
  }));

test('a planted snapshot is refused before any use (F56)', () =>
  withShadow(async (store, shadow) => {
    const blob = git(shadow, '--git-dir=.', 'hash-object', '-w', '--stdin').trim();
    writeFileSync(
      join(shadow, 'evil'),
      Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]),
    );
    const tree = git(
      shadow,
      '--git-dir=.',
      'hash-object',
      '-w',
      '-t',
      'tree',
      '--literally',
      'evil',
    ).trim() as SnapshotId;
    await rejects(store.entries(tree), 'StoreCorrupt');
    await rejects(store.directory(tree), 'StoreCorrupt');
    await rejects(
      store.changes(tree, tree.replace(/.*/, '4b825dc642cb6eb9a060e54bf8d69288fbee4904') as SnapshotId),
      'StoreCorrupt',
    );
    await rejects(store.entries('2'.repeat(40) as SnapshotId), 'StoreCorrupt');
  }));

test('a damaged or missing content is DataCorrupt, verify names the checkpoints it affects', () =>
  withShadow(async (store, shadow) => {
    const a = await capture(store, { f: 'good', g: 'bad' });
    const b = await capture(store, { f: 'good' });
    const [one, two] = [record(1, a.snapshot), record(2, b.snapshot)];
    await store.publish({ record: one });
    await store.publish({ record: two });
    const blob = (await store.entry(a.snapshot, path('g')))?.blob ?? ('' as never);
    const object = join(shadow, 'objects', blob.slice(0, 2), blob.slice(2));
    const bytes = readFileSync(object);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 0xff, bytes.length - 6);
    chmodSync(object, 0o644);
    writeFileSync(object, bytes);
    await rejects(readAll(store, blob), 'DataCorrupt');
    assert.equal(await contents(store, b.snapshot), { f: 'good' });
    assert.equal(await store.verify(), [{ kind: 'corrupt', what: blob, affects: [one.id] }]);
    rmSync(object);
    await rejects(readAll(store, blob), 'DataCorrupt');
    assert.equal(await store.verify(), [{ kind: 'missing', what: blob, affects: [one.id] }]);
  }));

test('sweep frees what no checkpoint holds, loose and packed, and nothing else', () =>
  withShadow(async (store, shadow) => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `f${index}`,
        createHash('sha512').update(`${index}`).digest('hex'),
      ]),
    );
    const a = await capture(store, many);
    const b = await capture(store, { kept: 'yes', f0: many.f0 ?? '' });
    await store.publish({ record: record(1, a.snapshot), tag: tag('1') });
    await store.publish({ record: record(2, b.snapshot), tag: tag('2') });
    await store.remove([record(1, a.snapshot).id]);
    const { bytesFreed, blobsFreed } = await store.sweep();
    assert.ok(bytesFreed > 0);
    assert.is(blobsFreed, 399);
    assert.equal(Object.keys(await contents(store, b.snapshot)), ['f0', 'kept']);
    assert.is((await store.usage()).blobs, 2);
    assert.is((await store.usage()).checkpoints, 1);
    const again = await capture(store, many);
    assert.is(again.snapshot, a.snapshot);
    assert.is(Object.keys(await contents(store, again.snapshot)).length, 400);
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
  }));

test('an aborted writer leaves no file behind and the store goes on', () =>
  withShadow(async (store) => {
    const writer = store.writer();
    const spool = join(store.spoolDirectory, 'left');
    writeFileSync(spool, 'x');
    const hash = store.hash(1);
    hash.update(Buffer.from('x'));
    await writer.addBlob(hash.digest(), { kind: 'spool', file: spool, size: 1 });
    await writer.abort();
    assert.equal(readdirSync(store.spoolDirectory), []);
    await rejects(writer.seal({ entries: new Map() }), 'StoreUnavailable');
    const { snapshot } = await capture(store, {});
    assert.is(snapshot, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
    assert.equal(await store.entries(snapshot), []);
    await store.publish({ record: record(1, snapshot), tag: tag('0') });
  }));

test('no child outlives close, and kill ends them at once', () =>
  inTemporary(async (directory) => {
    const store = await open(directory);
    const { snapshot } = await capture(store, { f: large('1') });
    await store.publish({ record: record(1, snapshot) });
    await contents(store, snapshot);
    const pids = store.pids;
    assert.ok(pids.length >= 3);
    store.kill();
    for (let tries = 0; tries < 100 && pids.some(isAlive); tries += 1) await sleep(20);
    assert.not.ok(pids.some(isAlive));
    await store.close();
  }));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('locks that a kill left before the repository was whole keep nobody from opening it', () =>
  inTemporary(async (directory) => {
    const session = join(directory, 'session');
    mkdirSync(session);
    for (const name of ['HEAD.lock', 'config.lock']) writeFileSync(join(session, name), '');
    const store = await shadowDriver.open(storeOptions(directory));
    const { snapshot } = await capture(store, { 'a.txt': 'a\n' });
    await store.publish({ record: record(1, snapshot) });
    assert.is((await store.checkpoints()).length, 1);
    await store.close();
  }));

test.run();
