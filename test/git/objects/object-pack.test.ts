import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemCode } from '../../../src/base/errors.ts';
import { installFault } from '../../../src/base/seam.ts';
import { objectId } from '../../../src/git/objects/object.ts';
import { type NewObject, PackWriter, packObjects } from '../../../src/git/objects/object-pack.ts';
import { git, gitBytes, inTemporary } from '../../support/git-oracle.ts';

/** Sizes around every limit of the format: sizes of four and of eleven bits, and the block size of a zlib stream. */
const sizes = [0, 1, 15, 16, 17, 2047, 2048, 65_535, 65_536, 131_070, 262_143, 262_144, 1_000_000];

for (const isLasting of [true, false])
  test(`git reads objects of every size from our packs unchanged: ${isLasting ? 'compressed' : 'stored'}`, () =>
    inTemporary(async (directory) => {
      git(directory, 'init', '-q', '--bare');
      const objects = sizes.map((size) => randomBytes(size));
      objects.push(Buffer.alloc(300_000, 0xff)); // the largest checksums
      const blobs = objects.map((bytes, i): NewObject => {
        const isDeflated = i % 3 === 0; // the caller already has these bytes in zlib's form
        return isDeflated ? { ...blobOf(bytes), deflated: deflateSync(bytes) } : blobOf(bytes);
      });
      await packObjects({ gitDir: directory }, [...blobs, ...blobs.slice(0, 3)], { isLasting });
      git(directory, 'verify-pack', ...packsIn(directory, '.idx'));
      for (const object of objects) {
        assert.equal(gitBytes(directory, 'cat-file', 'blob', objectId('blob', object)), object);
      }
      git(directory, 'fsck', '--strict', '--full');
      assert.is(packsIn(directory, '.pack').length, 1);
      // git makes the same index of the pack
      const [pack = ''] = packsIn(directory, '.pack');
      const made = join(directory, 'made.idx');
      git(directory, '-c', 'pack.writeReverseIndex=false', 'index-pack', '-o', made, pack);
      assert.equal(readFileSync(made), readFileSync(pack.replace(/pack$/, 'idx')));
    }));

test('packing many small objects takes no more memory than the bytes of these objects need', () =>
  inTemporary(async (directory) => {
    const objects = Array.from({ length: 2000 }, (_, i) => blobOf(Buffer.from(`${i}`)));
    const before = process.memoryUsage().arrayBuffers;
    let grown = Number.POSITIVE_INFINITY;
    installFault((call) => {
      if (call === 'mkdir') grown = process.memoryUsage().arrayBuffers - before;
    });
    await packObjects({ gitDir: directory }, objects);
    assert.ok(grown < 4 << 20, `${grown} bytes`); // with the usual buffer for each result, this would be 32 MB
  }));

test('packing an empty list of objects makes no directory', () =>
  inTemporary(async (directory) => {
    await packObjects({ gitDir: join(directory, 'absent') }, []);
    assert.not.ok(existsSync(join(directory, 'absent')));
  }));

test('a cancelled pack stores nothing', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const objects = [blobOf(randomBytes(100))];
    const outcome = await packObjects({ gitDir: directory }, objects, { signal: AbortSignal.abort() }).catch(
      (error: unknown) => error,
    );
    assert.is(outcome instanceof Error && outcome.name, 'AbortError');
    assert.is(git(directory, 'count-objects', '-v').includes('in-pack: 0'), true);
  }));

test('a failed rename leaves no temporary file, and no index without a pack', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    for (const failing of ['.pack', '.idx']) {
      const objects = [blobOf(randomBytes(100))];
      installFault((call, path) => {
        if (call === 'rename' && path.includes(failing === '.pack' ? 'tmp_pack' : 'tmp_idx'))
          throw new Error('EIO');
      });
      const outcome = await packObjects({ gitDir: directory }, objects).catch((error: unknown) => error);
      installFault(undefined);
      assert.is(outcome instanceof Error && outcome.message, 'EIO');
    }
    const names = readdirSync(join(directory, 'objects', 'pack'));
    assert.equal(
      names.filter((name) => !name.endsWith('.pack')),
      [],
    );
  }));

test('objects that do not fit into one pack go into several packs, and git reads all of them', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const pack = new PackWriter({ gitDir: directory }, { bytesMax: 3 << 20 });
    const spool = join(directory, 'spool');
    const contents = [700_000, 2_000_000, 50, 1_200_000, 0].map((size) => randomBytes(size));
    for (const [index, bytes] of contents.entries()) {
      const id = objectId('blob', bytes);
      if (index === 2) await pack.addDeflated(id, deflateSync(bytes), bytes.length);
      else if (index === 3) {
        writeFileSync(spool, bytes);
        await pack.add('blob', id, { kind: 'spool', file: spool, size: bytes.length });
      } else await pack.add('blob', id, { kind: 'bytes', bytes });
    }
    await pack.finish();
    assert.not.ok(existsSync(spool));
    assert.is(packsIn(directory, '.pack').length, 2);
    git(directory, 'verify-pack', ...packsIn(directory, '.idx'));
    git(directory, 'fsck', '--strict', '--full');
    for (const bytes of contents)
      assert.equal(gitBytes(directory, 'cat-file', 'blob', objectId('blob', bytes)), bytes);
  }));

test('if the disk is full while a pack is written, no file is left', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const pack = new PackWriter({ gitDir: directory });
    const bytes = randomBytes(3 << 20);
    let writes = 0;
    installFault((call, path) => {
      if (call === 'write' && path.includes('tmp_pack') && (writes += 1) === 2)
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    const adding = pack.add('blob', objectId('blob', bytes), { kind: 'bytes', bytes });
    const outcome = await adding.catch((error: unknown) => error);
    installFault(undefined);
    assert.is(outcome instanceof Error && outcome.message, 'ENOSPC');
    pack.abort();
    assert.equal(readdirSync(join(directory, 'objects', 'pack')), []);
  }));

test('an error of the sync of a pack ends only this pack, even while its index is made', () =>
  inTemporary(async (directory) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): unknown => unhandled.push(error);
    process.on('unhandledRejection', note);
    const realNow = performance.now.bind(performance);
    let now = 0;
    performance.now = () => (now += 1000); // each loop then waits for the event loop
    let isFirst = true;
    installFault((call, fd) => {
      if (call === 'fsync' && isFirst) closeSync(Number(fd)); // the sync fails
      isFirst &&= call !== 'fsync';
    });
    try {
      const objects = Array.from({ length: 1000 }, (_, i) => blobOf(Buffer.from(`${i}`)));
      const outcome = await packObjects({ gitDir: directory }, objects).catch((error: unknown) => error);
      assert.is(systemCode(outcome), 'EBADF');
      assert.equal(unhandled, []);
    } finally {
      installFault(undefined);
      performance.now = realNow;
      process.off('unhandledRejection', note);
    }
  }));

function blobOf(bytes: Buffer): NewObject {
  return { type: 'blob', id: objectId('blob', bytes), bytes };
}

function packsIn(directory: string, ending: string): string[] {
  const packs = join(directory, 'objects', 'pack');
  return readdirSync(packs)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(packs, name));
}

test.run();
