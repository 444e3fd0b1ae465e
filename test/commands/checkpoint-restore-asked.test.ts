// Tests the checks of a restore before it changes a file: dry runs, deletions of many files, conflicts, the expected
// checkpoint.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { opened, write } from '../support/in-process-daemon.ts';

test('if there are more than 100 files, a restore that deletes over half of them asks for confirmation', async () => {
  const { daemon, root, session } = await opened();
  write(root, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`many/${i}`, 'x'])));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.is(
    (await failure(daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' }))).kind,
    'ConfirmationRequired',
  );
  assert.ok(existsSync(join(root, 'many/0')));
  const done = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
  assert.is(done.deleted.length, 150);
  await daemon.close();
});

test('if a directory becomes a file, a restore counts the files below the directory as deletions', async () => {
  const { daemon, root, session } = await opened({ many: 'a file' });
  rmSync(join(root, 'many'));
  write(root, Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`many/${n}`, `${n}`])));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const request = { session, tag: '0', mode: 'hard' } as const;
  const planned = await daemon.call('checkpoint/restore', { ...request, dryRun: true });
  assert.is(planned.deleted.length, 101);
  assert.is((await failure(daemon.call('checkpoint/restore', request))).kind, 'ConfirmationRequired');
  assert.ok(existsSync(join(root, 'many/100')));
  const done = await daemon.call('checkpoint/restore', { ...request, confirm: true });
  assert.equal(
    [done.deleted, done.restored, done.failed],
    [planned.deleted, planned.restored, planned.failed],
  );
  await daemon.close();
});

test('an edit from outside the session is a conflict; the client can overwrite or skip the edit, or let the restore fail', async () => {
  const { daemon, root, session } = await opened({ 'a.txt': 'a\n', 'src/ü.txt': 'before\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'by the agent' });
  await daemon.call('ledger/recordWrite', { session, path: 'a.txt' });
  write(root, { 'src/ü.txt': 'by the user' });
  const dry = await daemon.call('checkpoint/restore', { session, tag: '0', dryRun: true });
  assert.equal(
    dry.conflicts.map(({ path }) => path),
    ['src/ü.txt'],
  );
  const refusal = await failure(daemon.call('checkpoint/restore', { session, tag: '0', onConflict: 'fail' }));
  assert.is(refusal.kind, 'Conflict');
  const { conflicts, count } = refusal.details ?? {};
  assert.equal([conflicts, count], [['src/ü.txt'], 1]);
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'by the agent', 'nothing changed');
  const skip = await daemon.call('checkpoint/restore', { session, tag: '0', onConflict: 'skip' });
  assert.equal(
    skip.skipped.map(({ path }) => path),
    ['src/ü.txt'],
  );
  assert.is(readFileSync(join(root, 'src/ü.txt'), 'utf8'), 'by the user');
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'a\n');
  await daemon.close();
});

test.run();
