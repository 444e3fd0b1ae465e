// The daemon accepts some storage directories and refuses others. Each refusal must say what to do.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { prepareStorage, refuseParentOf, storageFailure } from '../../src/session/storage.ts';

function inTop(body: (top: string) => void): void {
  const top = mkdtempSync(join(tmpdir(), 'checkpointd-storage-'));
  try {
    body(top);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function refused(work: () => unknown): CheckpointdError {
  try {
    work();
  } catch (error) {
    assert.instance(error, CheckpointdError, String(error));
    return error as CheckpointdError;
  }
  throw new Error('it was taken');
}

test('session/open refuses a storage that is a link, contains the work tree, or is writable for all users', () =>
  inTop((top) => {
    const open = join(top, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const writable = refused(() => prepareStorage(open));
    assert.match(writable.message, `chmod o-w ${open}`);
    assert.is(writable.details?.['reason'], 'writableByEverybody');
    chmodSync(open, 0o755);
    assert.is(prepareStorage(open), open);
    const link = join(top, 'link');
    symlinkSync(open, link);
    assert.is(refused(() => prepareStorage(link)).details?.['reason'], 'link');
    assert.is(prepareStorage(link, { isDefault: true }), open, 'a default one is resolved once');
    chmodSync(open, 0o777);
    assert.is(
      refused(() => prepareStorage(link, { isDefault: true })).details?.['reason'],
      'writableByEverybody',
      'and what it leads to is checked',
    );
    assert.is(
      refused(() => refuseParentOf(join(open, 'work'), open)).details?.['reason'],
      'parentOfWorkTree',
    );
    refuseParentOf(join(open, 'deeper', 'work'), open);
    assert.equal(readdirSync(open), []);
  }));

test('session/open refuses a storage that belongs to another user', () =>
  inTop((top) => {
    if (process.getuid?.() !== 0)
      return console.log('skipped: only root can make a directory of another user');
    const foreign = join(top, 'foreign');
    mkdirSync(foreign);
    chownSync(foreign, 12345, 12345);
    const error = refused(() => prepareStorage(foreign));
    assert.is(error.details?.['reason'], 'otherOwner');
    assert.match(error.message, '12345');
    return undefined;
  }));

test('session/open refuses a storage in /proc, /sys or /dev, or at a file, a FIFO or circular links', () =>
  inTop((top) => {
    if (process.platform === 'linux') {
      for (const path of [
        '/proc/nope',
        '/proc/nope/deep/er',
        '/proc/self/nope',
        '/sys/nope',
        '/dev/null/x',
        '/dev/null',
      ])
        refused(() => prepareStorage(path));
    }
    writeFileSync(join(top, 'file'), 'precious');
    refused(() => prepareStorage(join(top, 'file')));
    refused(() => prepareStorage(join(top, 'file', 'x')));
    symlinkSync('circle', join(top, 'circle'));
    refused(() => prepareStorage(join(top, 'circle')));
    refused(() => prepareStorage(join(top, 'circle', 'x')));
    refused(() => prepareStorage(join(top, 'circle'), { isDefault: true }));
    symlinkSync(join(top, 'nowhere'), join(top, 'dangling'));
    refused(() => prepareStorage(join(top, 'dangling'), { isDefault: true }));
    assert.equal(readdirSync(top).sort(), ['circle', 'dangling', 'file']);
  }));

test('an error about the storage directory has a kind of its own, and says what to do', () => {
  const kinds = ['EACCES', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EIO', 'EFBIG'].map((code) => {
    const error = storageFailure('/s', Object.assign(new Error(code), { code })) as CheckpointdError;
    assert.match(error.message, code === 'EFBIG' ? 'ulimit -f' : '/s');
    return error.kind;
  });
  assert.equal(kinds, [
    'ReadOnlyStore',
    'ReadOnlyStore',
    'NoSpace',
    'NoSpace',
    'StoreUnavailable',
    'StoreUnavailable',
    'StoreUnavailable',
  ]);
});

test.run();
