// Tests strategy local with a repository that cannot be used in its present state. Only the conversation opens, and the
// error says what to do. The daemon does not change the repository. Once the user has repaired the repository,
// everything works.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import { git } from '../../support/git-oracle.ts';
import { type SessionRig, withSessions } from '../../support/session-rig.ts';
import { anEntry, keptLocal, openLocal } from '../../support/stores/kept-local.ts';

/**
 * Opens the conversation. Requests that need the repository must fail with the error `said`. Then repairs the
 * repository.
 */
async function opensWithout(rig: SessionRig, said: RegExp, mend: () => void): Promise<void> {
  const { session, resumed, checkpoints } = await openLocal(rig);
  assert.equal([resumed, checkpoints.enabled, checkpoints.reason], [true, false, 'RepositoryUnusable']);
  assert.match(checkpoints.message ?? '', said);
  assert.is((await rig.request('conversation/get', { session })).historyLength, 1);
  for (const request of [
    rig.request('checkpoint/create', { session, kind: 'turn' }),
    rig.request('checkpoint/init', { session }),
    rig.request('session/delete', { session }),
  ]) {
    const error = await failure(request);
    assert.match(error.message, said);
    assert.is(error.effects, 'none');
  }
  await rig.request('session/close', { session });
  assert.match((await failure(rig.request('session/delete', { session }))).message, said);
  mend();
  const again = await openLocal(rig);
  assert.equal([again.session, again.checkpoints.enabled], [session, true]);
  assert.is((await rig.request('checkpoint/list', { session })).checkpoints.length, 2);
  await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.is(rig.read('a'), 'one\n');
}

test('session/open reports the file and line of a syntax error in the repository’s settings', () =>
  withSessions(async (rig) => {
    await keptLocal(rig);
    const config = join(rig.work, '.git/config');
    const before = readFileSync(config, 'utf8');
    appendFileSync(config, '[core\n');
    const line = readFileSync(config, 'utf8').split('\n').length - 1;
    await opensWithout(rig, new RegExp(`line ${line}\\b.*${config}.*Correct`, 's'), () =>
      writeFileSync(config, before),
    );
  }));

test('even the first session/open in a repository reports a syntax error in its settings', () =>
  withSessions(async (rig) => {
    appendFileSync(join(rig.work, '.git/config'), '[core\n');
    const { session, checkpoints } = await openLocal(rig);
    assert.is(checkpoints.reason, 'RepositoryUnusable');
    await rig.request('conversation/append', { session, entry: anEntry });
  }));

/** Returns the content of every file below the git directory. */
function contentOf(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[file] = readFileSync(file, 'latin1');
  }
  return found;
}

for (const [what, depth] of [
  ['that lost its HEAD', ''],
  ['that lost its HEAD, above the work tree', 'deep'],
] as const)
  test(`session/open and checkpoint/init change nothing in a repository ${what}`, () =>
    withSessions(async (rig) => {
      if (depth !== '') rig.write(`${depth}/b`, 'b\n');
      const place = { workspace: join(rig.work, depth), strategy: 'local', conversationId: 'c' } as const;
      const opened = await rig.request('session/open', { ...place, retention: 'keep' });
      await rig.request('session/close', { session: opened.session });
      const [head, away] = [join(rig.work, '.git/HEAD'), join(rig.top, 'HEAD')];
      renameSync(head, away);
      const before = contentOf(join(rig.work, '.git'));
      const again = await rig.request('session/open', place);
      assert.is(again.checkpoints.reason, 'RepositoryUnusable');
      assert.match(again.checkpoints.message ?? '', /lost its HEAD.*Put HEAD back/);
      const { session } = again;
      assert.match((await failure(rig.request('checkpoint/init', { session }))).message, /lost its HEAD/);
      assert.match((await failure(rig.request('session/delete', { session }))).message, /lost its HEAD/);
      assert.equal(contentOf(join(rig.work, '.git')), before, 'nothing was touched');
      assert.not(existsSync(join(rig.work, depth, '.git')) && depth !== '');
      renameSync(away, head);
      const { checkpoints } = await rig.request('checkpoint/init', { session });
      assert.ok(checkpoints.enabled);
    }));

test('session/open and checkpoint/init change nothing in a damaged repository without sessions', () =>
  withSessions(async (rig) => {
    rmSync(join(rig.work, '.git/HEAD'));
    const before = contentOf(join(rig.work, '.git'));
    for (const init of ['auto', 'force'] as const) {
      const { session, checkpoints } = await rig.request('session/open', {
        workspace: rig.work,
        strategy: 'local',
        init,
      });
      assert.match(checkpoints.message ?? '', /lost its HEAD/);
      assert.match((await failure(rig.request('checkpoint/init', { session }))).message, /lost its HEAD/);
    }
    assert.equal(contentOf(join(rig.work, '.git')), before);
  }));

test('checkpoint/init completes a repository that a killed git init left unfinished', () =>
  withSessions(async (rig) => {
    for (const name of readdirSync(join(rig.work, '.git')))
      if (name !== 'refs' && name !== 'objects') rmSync(join(rig.work, '.git', name), { recursive: true });
    const { session } = await openLocal(rig);
    const { checkpoints } = await rig.request('checkpoint/init', { session });
    assert.ok(checkpoints.enabled);
  }));

/** Moves the git directory to a path with this name. Makes a `.git` file that points to the new path. */
function moveGit(rig: SessionRig, name: Buffer): Buffer {
  const away = Buffer.concat([Buffer.from(`${rig.top}/`), name]);
  renameSync(join(rig.work, '.git'), away);
  writeFileSync(join(rig.work, '.git'), Buffer.concat([Buffer.from('gitdir: '), away, Buffer.from('\n')]));
  return away;
}

test('session/open reports a git directory whose path is not UTF-8, and tells the user to rename the directory', () =>
  withSessions(async (rig) => {
    await keptLocal(rig);
    const away = moveGit(rig, Buffer.from('g\xff', 'latin1'));
    assert.is(git(rig.work, 'rev-parse', '--is-inside-work-tree').trim(), 'true', 'git can');
    await opensWithout(rig, /not UTF-8.*Rename/s, () => {
      rmSync(join(rig.work, '.git'));
      renameSync(away, join(rig.work, '.git'));
    });
  }));

for (const strategy of ['shadow', 'sqlite'] as const)
  test(`with ${strategy}, a git directory whose path is not UTF-8 is reported, and checkpoint/init enables checkpoints`, () =>
    withSessions(async (rig) => {
      moveGit(rig, Buffer.from('g\xff', 'latin1'));
      const opened = await rig.request('session/open', { workspace: rig.work, strategy });
      const { session, checkpoints } = opened;
      assert.is(checkpoints.reason, 'NotARepository');
      assert.match(checkpoints.message ?? '', /not UTF-8.*checkpoint\/init/s);
      const { checkpoints: after } = await rig.request('checkpoint/init', { session });
      assert.ok(after.enabled);
    }));

test('session/open reports a .git file that names a missing directory, and makes no new repository', () =>
  withSessions(async (rig) => {
    await keptLocal(rig);
    const away = moveGit(rig, Buffer.from('elsewhere')).toString();
    renameSync(away, `${away}.moved`);
    await opensWithout(rig, /elsewhere.*does not exist.*Put it back/s, () => {
      rmSync(join(rig.work, '.git'));
      renameSync(`${away}.moved`, join(rig.work, '.git'));
    });
    assert.not(existsSync(away));
  }));

test('if the work tree gets its own repository, the error names the repository that has the checkpoints', () =>
  withSessions(async (rig) => {
    rig.write('deep/b', 'b\n');
    const place = {
      workspace: join(rig.work, 'deep'),
      strategy: 'local',
      conversationId: 'c',
      retention: 'keep',
    } as const;
    const { session } = await rig.request('session/open', place);
    await rig.request('session/close', { session });
    // Removes the daemon's own copies of the objects, because the new repository could get the checkpoints from these
    // copies. There are no copies if storage and repository are on different disks.
    for (const name of ['kept', 'incoming'])
      rmSync(join(rig.storage, session, 'local', name), { recursive: true, force: true });
    git(join(rig.work, 'deep'), 'init', '-q');
    const before = contentOf(join(rig.work, 'deep/.git'));
    const { checkpoints } = await rig.request('session/open', place);
    assert.is(checkpoints.reason, 'StoreCorrupt');
    assert.match(
      checkpoints.message ?? '',
      new RegExp(
        `repository of its own.*checkpoints \\(1\\).*${rig.work}\\b.*move ${rig.work}/deep/.git away`,
        's',
      ),
    );
    assert.equal(contentOf(join(rig.work, 'deep/.git')), before);
    await rig.request('session/close', { session });
    renameSync(join(rig.work, 'deep/.git'), join(rig.top, 'inner'));
    const back = await rig.request('session/open', place);
    assert.equal([back.resumed, back.checkpoints.enabled], [true, true]);
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    await rig.request('session/close', { session });
    renameSync(join(rig.top, 'inner'), join(rig.work, 'deep/.git'));
    await rig.request('session/open', place);
    const anew = await rig.request('checkpoint/init', { session });
    assert.equal([anew.checkpoints.enabled, anew.base.tag], [true, '0']);
    assert.match(git(join(rig.work, 'deep'), 'for-each-ref', 'refs/checkpointd'), /./);
    assert.match(git(rig.work, 'for-each-ref', 'refs/checkpointd'), /tags\/1$/m, 'what was there stays');
  }));

test('if the inner repository lost its HEAD, the daemon does not use the outer repository instead', () =>
  withSessions(async (rig) => {
    rig.write('deep/b', 'b\n');
    const workspace = join(rig.work, 'deep');
    git(workspace, 'init', '-q');
    const place = { workspace, strategy: 'local', conversationId: 'c', retention: 'keep' } as const;
    const { session } = await rig.request('session/open', place);
    await rig.request('session/close', { session });
    renameSync(join(workspace, '.git/HEAD'), join(rig.top, 'HEAD'));
    const { checkpoints } = await rig.request('session/open', place);
    assert.is(checkpoints.reason, 'RepositoryUnusable');
    assert.match(checkpoints.message ?? '', /deep\/.git has lost its HEAD/);
    assert.match((await failure(rig.request('session/delete', { session }))).message, /lost its HEAD/);
    assert.is(git(rig.work, 'for-each-ref', 'refs/checkpointd'), '');
  }));

test('session/open names a damaged pack of the repository', () =>
  withSessions(async (rig) => {
    const session = await keptLocal(rig);
    git(rig.work, 'repack', '-a', '-d', '-q');
    git(rig.work, 'prune-packed');
    for (const name of ['kept', 'incoming'])
      rmSync(join(rig.storage, session, 'local', name), { recursive: true, force: true });
    const packs = join(rig.work, '.git/objects/pack');
    const pack = join(packs, readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '');
    const bytes = readFileSync(pack);
    chmodSync(pack, 0o644);
    writeFileSync(pack, Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(bytes.length - 12, 0x5a)]));
    const { checkpoints } = await openLocal(rig);
    assert.equal([checkpoints.enabled, checkpoints.reason], [false, 'StoreCorrupt']);
    assert.match(checkpoints.message ?? '', new RegExp(`2 checkpoints.*${pack}.*git fsck`, 's'));
    assert.not.match(checkpoints.message ?? '', /deleted|replaced/);
    assert.is((await rig.request('conversation/get', { session })).historyLength, 1);
    await rig.request('session/close', { session });
    writeFileSync(pack, bytes);
    assert.ok((await openLocal(rig)).checkpoints.enabled);
    assert.is((await rig.request('checkpoint/list', { session })).checkpoints.length, 2);
  }));

test.run();
