import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { objectId } from '../../../src/git/objects/object.ts';
import { packObjects } from '../../../src/git/objects/object-pack.ts';
import { git, gitBytes, inTemporary } from '../../support/git-oracle.ts';

/** Sizes around every limit of the format: sizes of four and of eleven bits, and the block size of a zlib stream. */
const sizes = [0, 1, 15, 16, 17, 2047, 2048, 65_535, 65_536, 131_070, 262_143, 262_144, 1_000_000];

test('git reads objects of every size from our packs unchanged', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const objects = sizes.map((size) => randomBytes(size));
    objects.push(Buffer.alloc(300_000, 0xff)); // the largest checksums
    await packObjects(
      { gitDir: directory },
      objects.map((bytes) => ({ type: 'blob', bytes })),
    );
    for (const object of objects) {
      assert.equal(gitBytes(directory, 'cat-file', 'blob', objectId('blob', object)), object);
    }
    git(directory, 'fsck', '--strict', '--full');
    assert.is(
      readdirSync(join(directory, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length,
      1,
    );
  }));

test('packing many small objects takes no more memory than the bytes of these objects need', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const objects = Array.from(
      { length: 2000 },
      (_, i) => ({ type: 'blob', bytes: Buffer.from(`${i}`) }) as const,
    );
    const before = process.memoryUsage().arrayBuffers;
    let grown = Number.POSITIVE_INFINITY;
    installFault((call) => {
      if (call === 'spawn') grown = process.memoryUsage().arrayBuffers - before;
    });
    await packObjects({ gitDir: directory }, objects);
    assert.ok(grown < 4 << 20, `${grown} bytes`); // with the usual buffer for each result, this would be 32 MB
  }));

test('packing an empty list of objects starts no process', () =>
  inTemporary(async (directory) => {
    await packObjects({ gitDir: join(directory, 'absent') }, []);
    assert.not.ok(existsSync(join(directory, 'absent')));
  }));

test('a cancelled pack stores nothing', () =>
  inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const object = randomBytes(100);
    const outcome = await packObjects(
      { gitDir: directory },
      [{ type: 'blob', bytes: object }],
      AbortSignal.abort(),
    ).catch((error: unknown) => error);
    assert.is(outcome instanceof Error && outcome.name, 'AbortError');
    assert.is(git(directory, 'count-objects', '-v').includes('in-pack: 0'), true);
  }));

test.run();
