// Tests that git can read objects that this process stored, and that git finds no fault in these objects.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { type ObjectType, objectId, writeLoose } from '../../../src/git/objects/object.ts';
import { ObjectWriter } from '../../../src/git/objects/object-writer.ts';
import { encodeTree } from '../../../src/git/objects/tree-format.ts';
import { durableSettings } from '../../../src/git/process/environment.ts';
import { failure } from '../../support/failures.ts';
import { git, gitBytes, inTemporary } from '../../support/git-oracle.ts';

/** Sizes around the limit above which an object is stored in chunks. */
const sizes = [0, 1, 15, 4096, 65_535, 131_071, 131_072, 131_073, 300_000, 3_000_000];

for (const durability of ['process', 'power'] as const) {
  test(`git reads back every object that we write, of any type and size (${durability})`, () =>
    inTemporary(async (directory) => {
      git(directory, 'init', '-q', '--bare');
      const settings = durability === 'power' ? durableSettings : {};
      const writer = new ObjectWriter({ gitDir: directory, settings });
      const blobs = sizes.flatMap((size) => [randomBytes(size), Buffer.alloc(size, 'lines of text\n')]);
      const ids = await Promise.all(blobs.map((bytes) => writer.write('blob', bytes)));
      const items = ids.map((id, i) => ({ name: `f${i}`, mode: '100644' as const, id }));
      const tree = await writer.write('tree', await encodeTree(items));
      const who = 'Q <qcli@local> 1 +0000';
      const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nsubject\n`;
      const commit = await writer.write('commit', Buffer.from(text));
      await writer.close();
      blobs.forEach((bytes, i) => assert.equal(gitBytes(directory, 'cat-file', 'blob', ids[i] ?? ''), bytes));
      assert.is(git(directory, 'cat-file', '-t', tree).trim(), 'tree');
      assert.is(gitBytes(directory, 'cat-file', 'commit', commit).toString(), text);
      git(directory, 'update-ref', 'refs/heads/main', commit);
      assert.is(git(directory, 'fsck', '--strict', '--full', '--no-dangling').trim(), '');
    }));
}

async function withObjects(
  body: (objects: string, file: string, write: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const bytes = Buffer.from('content');
    const object = { type: 'blob' as ObjectType, id: objectId('blob', bytes), bytes };
    const objects = join(directory, 'objects');
    const file = join(objects, object.id.slice(0, 2), object.id.slice(2));
    await body(objects, file, () => writeLoose(objects, object, false));
  });
}

test('writing an existing object only updates the time of its file; an empty file is replaced', () =>
  withObjects(async (_objects, file, write) => {
    await write();
    const { ino } = statSync(file);
    utimesSync(file, 1, 1);
    await write();
    assert.is(statSync(file).ino, ino);
    assert.ok(Date.now() - statSync(file).mtimeMs < 60_000);
    chmodSync(file, 0o600);
    writeFileSync(file, '');
    await write();
    assert.ok(statSync(file).size > 0);
    assert.is(statSync(file).mode & 0o777 & ~0o444, 0, 'the file is read-only');
  }));

test('if any call fails while an object is written, no object and no file is left', () =>
  withObjects(async (objects, file, write) => {
    let failed = 0;
    for (let fatal = 1; ; fatal += 1) {
      let calls = 0;
      installFault((call) => {
        if (call === 'rm') return;
        calls += 1;
        if (calls === fatal) throw Object.assign(new Error('injected'), { code: 'ENOSPC' });
      });
      const isDone = await write().then(
        () => true,
        () => false,
      );
      installFault(undefined);
      if (isDone) break;
      failed += 1;
      assert.not(existsSync(file));
      const directories = readdirSync(objects).filter((name) => name.length === 2);
      assert.equal(
        directories.flatMap((name) => readdirSync(join(objects, name))),
        [],
      );
    }
    assert.ok(failed >= 5, String(failed));
    assert.ok(existsSync(file));
  }));

async function withSpool(
  body: (objects: string, spool: string, write: (id: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    git(directory, 'init', '-q', '--bare');
    const writer = new ObjectWriter({ gitDir: directory });
    const spool = join(directory, 'spool');
    const bytes = randomBytes(900_000);
    writeFileSync(spool, bytes);
    const write = (id: string): Promise<void> =>
      writer.store('blob', id, { kind: 'spool', file: spool, size: bytes.length });
    await body(join(directory, 'objects'), spool, write);
    await writer.close();
  });
}

const namesIn = (objects: string): string[] =>
  readdirSync(objects)
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(objects, name)));

test('a large content that changes after it was hashed is not stored as an object', () =>
  withSpool(async (objects, spool, write) => {
    const id = objectId('blob', readFileSync(spool));
    const bytes = readFileSync(spool);
    bytes[500_000] = (bytes[500_000] ?? 0) ^ 1;
    writeFileSync(spool, bytes);
    assert.is((await failure(write(id))).kind, 'StoreUnavailable');
    assert.equal(namesIn(objects), []);
    assert.not(existsSync(spool), 'the private file is removed');
  }));

test('if any call fails while a large content is written, no object and no file is left', () =>
  withSpool(async (objects, spool, write) => {
    const bytes = readFileSync(spool);
    const id = objectId('blob', bytes);
    let failed = 0;
    for (let fatal = 1; ; fatal += 1) {
      writeFileSync(spool, bytes);
      let calls = 0;
      installFault((call) => {
        if (call === 'rm' || call === 'unlink') return;
        calls += 1;
        if (calls === fatal) throw Object.assign(new Error('injected'), { code: 'ENOSPC' });
      });
      const isDone = await write(id)
        .then(
          () => true,
          () => false,
        )
        .finally(() => installFault(undefined));
      if (isDone) break;
      failed += 1;
      assert.equal(namesIn(objects), [], `after the failure of call ${fatal}`);
      assert.not(existsSync(spool));
    }
    assert.ok(failed >= 8, String(failed));
    assert.equal(gitBytes(join(objects, '..'), 'cat-file', 'blob', id), bytes);
  }));

test.run();
