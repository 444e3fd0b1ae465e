// A checkpoint may lack a path that existed when the checkpoint was made. A hard restore keeps the missing path if the
// checkpoint's rules ignored the path, or if its capture could not read the path.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RestoreResult } from '../../src/protocol/types.ts';
import { git } from '../support/git-oracle.ts';
import { withSessions } from '../support/session-rig.ts';
import { path } from '../support/trees/model-tree.ts';

const policy = { onConflict: 'overwrite', confirm: true, dryRun: false } as const;
const exactly = (tag: string) => ({ tag, mode: 'hard', ...policy }) as const;
const told = ({ skipped }: RestoreResult): string[] => skipped.map(({ path, reason }) => `${path} ${reason}`);

test('a restore deletes newer files, but keeps and reports those that the checkpoint’s .gitignore files ignored', () =>
  withSessions(async (rig) => {
    rig.write('.gitignore', '.env\n/build/\n');
    rig.write('sub/.gitignore', '*.local\n!kept.local\n');
    rig.write('.env', 'the only copy\n');
    rig.write('build/out', 'out\n');
    rig.write('sub/a.local', 'a\n');
    const session = await rig.open();
    for (const file of ['.gitignore', 'sub/.gitignore']) rmSync(join(rig.work, file));
    rig.write('later', 'made since\n');
    rig.write('sub/kept.local', 'made since\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    const planned = await rig.request('checkpoint/restore', {
      session: session.id,
      ...exactly('0'),
      dryRun: true,
    });
    const done = await rig.request('checkpoint/restore', { session: session.id, ...exactly('0') });
    const left = ['.env', 'build/out', 'sub/a.local'];
    for (const path of left) assert.ok(existsSync(join(rig.work, path)), path);
    for (const path of ['later', 'sub/kept.local']) assert.not.ok(existsSync(join(rig.work, path)), path);
    assert.equal(
      told(done),
      left.map((path) => `${path} notCapturedThen`),
    );
    assert.equal(told(planned), told(done));
    await rig.request('checkpoint/undo', { session: session.id, ...policy });
    assert.is(rig.read('.env'), 'the only copy\n');
    assert.is(rig.read('later'), 'made since\n');
  }));

test('a restore saves and replaces an ignored file if the target needs its path', () =>
  withSessions(async (rig) => {
    rig.write('.gitignore', 'out/\n');
    rig.write('out', 'a file of this name is not ignored\n');
    const session = await rig.open();
    for (const file of ['.gitignore', 'out']) rmSync(join(rig.work, file));
    rig.write('out/x', 'in the way\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: session.id, ...exactly('0') });
    assert.is(rig.read('out'), 'a file of this name is not ignored\n');
    await rig.request('checkpoint/undo', { session: session.id, ...policy });
    assert.is(rig.read('out/x'), 'in the way\n');
  }));

test('a restore applies the exclude globs and size limit from the time of the checkpoint, not the present settings', () =>
  withSessions(async (rig) => {
    rig.write('data/a', 'excluded\n');
    rig.write('large', 'l'.repeat(100));
    rig.settings = { exclude: ['/data'], maxFileBytes: 50, retention: 'keep' };
    const before = await rig.open();
    await rig.request('checkpoint/create', { session: before.id, kind: 'turn' });
    await rig.sessions.close(before.id, 'abrupt');
    rig.settings = {};
    const session = await rig.open();
    rig.write('later', 'made since\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    const done = await rig.request('checkpoint/restore', { session: session.id, ...exactly('1') });
    assert.is(rig.read('data/a'), 'excluded\n');
    assert.is(rig.read('large').length, 100);
    assert.not.ok(existsSync(join(rig.work, 'later')));
    assert.equal(told(done), ['data/a notCapturedThen', 'large notCapturedThen']);
  }));

test('undo removes restored files that the present exclude globs match, and redo restores them', () =>
  withSessions(async (rig) => {
    const excluded = ['a', 'data/b'];
    for (const file of excluded) rig.write(file, `${file} then\n`);
    rig.settings = { retention: 'keep' };
    const before = await rig.open();
    await rig.sessions.close(before.id, 'abrupt');
    for (const file of excluded) rmSync(join(rig.work, file));
    rig.settings = { retention: 'keep', exclude: ['a', 'data'] };
    const session = { session: (await rig.open()).id };
    await rig.request('checkpoint/create', { ...session, kind: 'turn' });
    await rig.request('checkpoint/restore', { ...session, ...exactly('0') });
    assert.is(rig.read('a'), 'a then\n');
    rig.write('data/b', 'edited since\n');
    const { deleted, safety } = await rig.request('checkpoint/undo', session);
    assert.equal(
      deleted.map(({ path }) => path),
      excluded,
    );
    for (const file of excluded) assert.not.ok(existsSync(join(rig.work, file)), file);
    const saved = { ...session, tag: safety ?? '', path: 'data/b' };
    assert.is((await rig.request('checkpoint/readFile', saved)).data, 'edited since\n');
    await rig.request('checkpoint/redo', session);
    assert.equal([rig.read('a'), rig.read('data/b')], ['a then\n', 'edited since\n']);
  }));

test('a restore deletes a newer file that an include glob captured, even if a .gitignore rule matches it', () =>
  withSessions(async (rig) => {
    rig.write('.gitignore', '*.log\n');
    rig.settings = { include: ['*.log'] };
    const session = await rig.open();
    rig.write('later.log', 'made since\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: session.id, ...exactly('0') });
    assert.not.ok(existsSync(join(rig.work, 'later.log')));
  }));

test('a restore keeps a path that the checkpoint could not capture, even if the path is readable now', () =>
  withSessions(async (rig) => {
    execFileSync('mkfifo', [join(rig.work, 'pipe')]);
    rig.write('f', '1\n');
    const session = await rig.open();
    rmSync(join(rig.work, 'pipe'));
    rig.write('pipe/x', 'captured now\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    const done = await rig.request('checkpoint/restore', { session: session.id, ...exactly('0') });
    assert.is(rig.read('pipe/x'), 'captured now\n');
    assert.equal(told(done), ['pipe/x notCapturedThen']);
  }));

test('a restore applies the present ignore rules of the repository above the work tree', () =>
  withSessions(async (rig) => {
    rmSync(join(rig.work, '.git'), { recursive: true });
    git(rig.top, 'init', '-q');
    rig.write('../.gitignore', 'work/*.tmp\n');
    rig.write('a.tmp', 'ignored from above\n');
    const session = await rig.open();
    git(rig.work, 'add', '-f', 'a.tmp'); // Tracked files are captured even if a rule ignores them.
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    const { store, index } = session.requireCheckpoints();
    const has = async (tag: string): Promise<boolean> =>
      (await store.entry(index.resolve(tag).record.snapshot, path('a.tmp'))) !== undefined;
    assert.equal([await has('0'), await has('1')], [false, true]);
    await rig.request('checkpoint/restore', { session: session.id, ...exactly('0') });
    assert.is(rig.read('a.tmp'), 'ignored from above\n');
  }));

test('undo removes a restored file even if the ignore rules match it', () =>
  withSessions(async (rig) => {
    rig.write('a.log', 'log\n');
    const session = await rig.open();
    rmSync(join(rig.work, 'a.log'));
    rig.write('.gitignore', '*.log\n');
    await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    await rig.request('checkpoint/restore', { session: session.id, ...exactly('0'), mode: 'soft' });
    assert.is(rig.read('a.log'), 'log\n');
    await rig.request('checkpoint/undo', { session: session.id, ...policy });
    assert.not.ok(existsSync(join(rig.work, 'a.log')));
  }));

test.run();
