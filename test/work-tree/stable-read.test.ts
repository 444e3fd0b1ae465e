import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { isSameStamp, type Stamp, stampOf } from '../../src/base/file-stamp.ts';
import { installFault } from '../../src/base/seam.ts';
import { Slices } from '../../src/base/slices.ts';
import {
  discard,
  type ReadContent,
  ReusedMemory,
  type ReusedPart,
  readLink,
  readStable,
  release,
  type StableReadOptions,
} from '../../src/work-tree/stable-read.ts';

const test = suite('stable read');

async function withTop(
  body: (
    top: string,
    read: (
      name: string,
      options?: Partial<StableReadOptions<string>>,
      isAt?: () => boolean,
    ) => ReturnType<typeof readStable<string>>,
  ) => Promise<void>,
): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), 'ckpt-read-'));
  try {
    await body(top, (name, options, isAt = () => true) =>
      readStable({ prefix: top, release: () => undefined, isAt }, name, {
        hash: () => {
          const hash = createHash('sha256');
          return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
        },
        spoolDirectory: top,
        maxFileBytes: 1e9,
        slices: new Slices(),
        ...options,
      }),
    );
  } finally {
    installFault(undefined);
    rmSync(top, { recursive: true, force: true });
  }
}

const sha = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const spools = (top: string): string[] => readdirSync(top).filter((name) => name.endsWith('.spool'));

test('a read returns small and large contents completely, with the stamp of the file', () =>
  withTop(async (top, read) => {
    for (const size of [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_001]) {
      const bytes = Buffer.alloc(size, 'x');
      writeFileSync(join(top, 'f'), bytes);
      const got = await read('f');
      if (got.kind !== 'read') return assert.unreachable(got.kind);
      assert.is(got.id, sha(bytes));
      assert.ok(isSameStamp(got.stamp, stampOf(lstatSync(join(top, 'f'), { bigint: true }))));
      const kept = got.content?.kind === 'spool' ? readFileSync(got.content.file) : got.content?.bytes;
      assert.ok(kept !== undefined && bytes.equals(kept));
      discard(got.content);
      const onlyId = await read('f', { isContentWanted: false });
      assert.ok(onlyId.kind === 'read' && onlyId.id === got.id && onlyId.content === undefined);
      assert.equal(spools(top), []);
    }
  }));

test('a file that changes during a read is read again, up to three times', () =>
  withTop(async (top, read) => {
    const file = join(top, 'f');
    for (const times of [1, 2, 3]) {
      writeFileSync(file, 'start');
      utimesSync(file, 1, 1);
      let left = times;
      installFault((call) => {
        if (call !== 'read' || left === 0) return;
        left -= 1;
        appendFileSync(file, 'more');
      });
      const got = await read('f');
      installFault(undefined);
      assert.is(got.kind, times === 3 ? 'unstable' : 'read');
      if (got.kind === 'read') assert.is(got.id, sha(readFileSync(file)));
    }
    assert.equal(spools(top), []);
  }));

test('a read checks the stamp of a file once if the stamp is as listed, and otherwise twice', () =>
  withTop(async (top, read) => {
    const file = join(top, 'f');
    const stamp = (): Stamp => stampOf(lstatSync(file, { bigint: true }));
    writeFileSync(file, 'listed');
    const listed = stamp();
    // The listed file is no longer young.
    const behindMs = -60_000;
    let looks = 0;
    installFault((call) => void (looks += Number(call === 'fstat')));
    const same = await read('f', { listed, behindMs });
    assert.ok(same.kind === 'read' && same.id === sha('listed') && isSameStamp(same.stamp, listed));
    assert.is(looks, 1);
    // The file grows during the read.
    installFault((call) => {
      if (call !== 'read') return;
      installFault(undefined);
      appendFileSync(file, ' and more');
    });
    const grown = await read('f', { listed, behindMs });
    assert.ok(grown.kind === 'read' && grown.id === sha('listed and more'));
    assert.ok(grown.kind === 'read' && isSameStamp(grown.stamp, stamp()));
    // Another program has replaced the file.
    for (const name of ['shorter', 'directory', 'fifo']) {
      rmSync(file);
      if (name === 'shorter') writeFileSync(file, 'x');
      else execFileSync(name === 'fifo' ? 'mkfifo' : 'mkdir', [file]);
      const other = await read('f', { listed, behindMs });
      assert.is(other.kind, name === 'shorter' ? 'read' : 'gone', name);
      rmSync(file, { recursive: true });
      writeFileSync(file, '');
    }
  }));

test('a read checks the path of a file only if the stamp of the opened file is not as listed', () =>
  withTop(async (top, read) => {
    const file = join(top, 'f');
    writeFileSync(file, 'listed');
    const listed = stampOf(lstatSync(file, { bigint: true }));
    // The listed file is no longer young.
    const behindMs = -60_000;
    let checks = 0;
    const isAt = (): boolean => {
      checks += 1;
      return false;
    };
    assert.is((await read('f', { listed, behindMs }, isAt)).kind, 'read');
    assert.is(checks, 0);
    const others: StableReadOptions<string>['listed'][] = [
      undefined,
      { ...listed, ino: listed.ino + 1 },
      { ...listed, ctimeNs: listed.ctimeNs - 1n },
    ];
    for (const other of others) {
      assert.is((await read('f', { listed: other, behindMs }, isAt)).kind, 'elsewhere');
    }
    assert.is(checks, others.length);
  }));

test('a very large file that has just changed is read only once, after a wait', () =>
  withTop(async (top, read) => {
    writeFileSync(join(top, 'f'), Buffer.alloc(33 << 20));
    let hashed = 0;
    for (const isChangedAgain of [false, true]) {
      appendFileSync(join(top, 'f'), 'x');
      hashed = 0;
      const got = await read('f', {
        hash: () => {
          hashed += 1;
          if (isChangedAgain && hashed === 1) appendFileSync(join(top, 'f'), 'y'); // changes the file after the wait
          const hash = createHash('sha256');
          return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
        },
      });
      if (got.kind !== 'read') return assert.unreachable(got.kind);
      assert.is(got.id, sha(readFileSync(join(top, 'f'))));
      if (!isChangedAgain) assert.is(hashed, 1);
      else assert.ok(hashed >= 2, `${hashed} reads`);
      discard(got.content);
    }
    assert.equal(spools(top), []);
  }));

test('the wait for a very large file lasts until the file is no longer young, whatever fraction of a millisecond is left', () =>
  withTop(async (top, read) => {
    const file = join(top, 'f');
    writeFileSync(file, Buffer.alloc(33 << 20));
    let hashed = 0;
    const hash = () => {
      hashed += 1;
      return { update: () => undefined, digest: () => 'id' };
    };
    const rounds = 100;
    for (let round = 0; round < rounds; round += 1) {
      appendFileSync(file, 'x');
      // The file is young for 5 ms instead of 100.
      const got = await read('f', { hash, isContentWanted: false, behindMs: -95 });
      assert.is(got.kind, 'read');
    }
    assert.is(hashed, rounds);
  }));

test('a read follows no link, opens no FIFO or directory, and never blocks', () =>
  withTop(async (top, read) => {
    symlinkSync('/etc/passwd', join(top, 'link'));
    execFileSync('mkfifo', [join(top, 'fifo')]);
    const started = performance.now();
    assert.equal(await read('link'), { kind: 'gone' });
    assert.equal(await read('fifo'), { kind: 'gone' });
    assert.equal(await read('.'), { kind: 'gone' });
    assert.equal(await read('nothing'), { kind: 'gone' });
    assert.equal(await read('n'.repeat(256)), { kind: 'nameTooLong' });
    assert.ok(performance.now() - started < 1000);
    writeFileSync(join(top, 'f'), '12345');
    assert.equal(await read('f', { maxFileBytes: 4 }), { kind: 'tooLarge' });
    const link = readLink({ prefix: top, release: () => undefined }, 'link');
    assert.is(link.kind === 'read' ? link.target.toString() : link.kind, '/etc/passwd');
    assert.equal(readLink({ prefix: top, release: () => undefined }, 'f'), { kind: 'gone' });
  }));

test('if the store’s disk is full, the read fails with NoSpace instead of an error of the file (F89)', () =>
  withTop(async (top, read) => {
    writeFileSync(join(top, 'f'), Buffer.alloc(3 << 20));
    for (const [code, kind] of [
      ['ENOSPC', 'NoSpace'],
      ['EDQUOT', 'NoSpace'],
      ['EACCES', 'StoreUnavailable'],
      ['ENOENT', 'StoreUnavailable'],
    ] as const) {
      for (const call of code === 'ENOSPC' ? ['write', 'open', 'close'] : ['open']) {
        let isSpool = false;
        installFault((name, target) => {
          isSpool ||= name === 'open' && target.endsWith('.spool');
          if (isSpool && name === call) {
            isSpool = false;
            throw Object.assign(new Error(code), { code });
          }
        });
        const error = await read('f').then(
          (got) => got.kind,
          (thrown: unknown) => thrown,
        );
        installFault(undefined);
        assert.is(error instanceof CheckpointdError ? error.kind : error, kind, `${call} ${code}`);
      }
    }
    assert.equal(spools(top), []);
  }));

test('reused memory keeps each small content until its release, and then overwrites it', () =>
  withTop(async (top, read) => {
    const memory = new ReusedMemory();
    const kept: { readonly content: ReadContent; readonly text: string }[] = [];
    const parts = new Set<ReusedPart>();
    for (let i = 0; i < 400; i += 1) {
      const text = `${i} `.repeat(1000 + (i % 7) * 4000);
      writeFileSync(join(top, 'f'), text);
      utimesSync(join(top, 'f'), 1, 1);
      const got = await read('f', { memory });
      if (got.kind !== 'read' || got.content?.kind !== 'bytes') return assert.unreachable(got.kind);
      assert.is(got.id, sha(text));
      const { part } = got.content;
      assert.is(part !== undefined, text.length <= 64 << 10);
      if (part !== undefined) parts.add(part);
      kept.push({ content: got.content, text });
      if (i % 50 > 0) continue;
      for (const { content, text } of kept.splice(0, i % 100 === 0 ? 50 : 25)) {
        assert.ok(content.kind === 'bytes' && Buffer.from(text).equals(content.bytes));
        release(content);
        release(content); // a second release must not count
      }
    }
    assert.ok(parts.size < 12, `${parts.size} parts`);
  }));

test('reused memory grows by parts of at most 1 MiB, however many contents are not released', () => {
  const memory = new ReusedMemory();
  for (let i = 0; i < 1000; i += 1) {
    assert.is(memory.next(60_000)?.length, 60_000, `content ${i}`);
    assert.ok(memory.keep(60_000).bytes.length <= 1 << 20);
  }
});

test('cancelling a read of a large file leaves no private copy', () =>
  withTop(async (top, read) => {
    writeFileSync(join(top, 'f'), Buffer.alloc(64 << 20));
    const abort = new AbortController();
    const reading = read('f', { slices: new Slices(abort.signal) });
    abort.abort(new Error('enough'));
    await reading.then(
      () => assert.unreachable(),
      (error: unknown) => assert.match(String(error), 'enough'),
    );
    assert.equal(spools(top), []);
  }));

test('two stamps are equal only if all their fields are equal', () =>
  withTop(async (top) => {
    writeFileSync(join(top, 'f'), '');
    const stamp = stampOf(lstatSync(join(top, 'f'), { bigint: true }));
    for (const field of ['mtimeNs', 'ctimeNs', 'size', 'ino', 'dev', 'mode'] as const) {
      const other = {
        ...stamp,
        [field]: typeof stamp[field] === 'bigint' ? stamp[field] + 1n : stamp[field] + 1,
      };
      assert.not.ok(isSameStamp(stamp, other), field);
    }
  }));

test.run();
