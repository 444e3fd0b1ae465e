// Tests the path of a session's directory, how the daemon recognises this directory, and the errors for an unusable
// storage.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type SessionMarker, sessionIdOf } from '../../src/session/description.ts';
import { SessionDirectory } from '../../src/session/directory.ts';
import { prepareStorage } from '../../src/session/storage.ts';

function withStorage(body: (storage: string) => void): void {
  const top = mkdtempSync(join(tmpdir(), 'checkpointd-directory-'));
  try {
    body(join(top, 'a', 'storage'));
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

test('each combination of work tree, conversation and strategy gives a different session id (Q14)', () => {
  const id = sessionIdOf('/work', 'c', 'shadow');
  assert.match(id, /^ses_[0-9a-z]{26}$/);
  assert.is(sessionIdOf('/work', 'c', 'shadow'), id);
  const others = [
    sessionIdOf('/work', 'c', 'local'),
    sessionIdOf('/work', 'd', 'shadow'),
    sessionIdOf('/workc', '', 'shadow'),
    sessionIdOf('/work","c', '', 'shadow'),
  ];
  assert.is(new Set([id, ...others]).size, 5);
});

test('the storage and the directory of a session are private to the user (F116)', () =>
  withStorage((storage) => {
    prepareStorage(storage);
    const session = sessionIdOf('/work', 'c', 'shadow');
    const directory = new SessionDirectory(storage, session);
    assert.is(directory.exists(), false);
    assert.is(directory.readMarker(), undefined);
    const marker: SessionMarker = {
      marker: 'checkpointd session',
      format: 1,
      session,
      workTree: '/work',
      workTreeIdentity: '1:2',
      conversationId: 'c',
      strategy: 'shadow',
      retention: 'keep',
      created: '2026-01-01T00:00:00.000Z',
    };
    directory.create(marker);
    assert.is(directory.exists(), true);
    assert.is(directory.readMarker()?.session, session);
    for (const path of [storage, directory.root, directory.own])
      assert.is(statSync(path).mode & 0o777, 0o700);
    assert.is(statSync(directory.markerFile).mode & 0o777, 0o600);
  }));

test('opening a session removes temporary files of a killed daemon, but no other files (F59)', () =>
  withStorage((storage) => {
    prepareStorage(storage);
    const directory = new SessionDirectory(storage, sessionIdOf('/work', 'c', 'shadow'));
    directory.create({ marker: 'checkpointd session' } as SessionMarker);
    for (const name of [
      'restore.json.0123456789ab.tmp',
      'owner.json.ba9876543210.tmp',
      'restore.json',
      'mine.tmp',
    ])
      writeFileSync(join(directory.own, name), '');
    directory.removeTemporaries();
    assert.equal(readdirSync(directory.own).sort(), ['mine.tmp', 'restore.json', 'session.json']);
  }));

test.run();
