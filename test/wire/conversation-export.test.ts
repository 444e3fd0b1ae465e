// An export never destroys an existing file. An export replaces a file only on request. If the file is in the work tree
// of a session, the export first saves the file. An export refuses to write into a git directory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResultOf } from '../../src/protocol/types.ts';
import { failureOf } from '../support/wire-client.ts';
import { makePlaces, type WireSession, withSession } from '../support/wire-session.ts';

const exported = (
  rig: WireSession,
  path: string,
  overwrite?: boolean,
): Promise<ResultOf<'conversation/export'>> =>
  rig.request('conversation/export', { path, ...(overwrite === undefined ? {} : { overwrite }) });

const temporaries = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.includes('tmp'));

test('an export replaces an existing file only on request', () =>
  withSession(async (rig) => {
    const { kind, message } = await failureOf(exported(rig, 'a.txt'));
    assert.is(kind, 'PreconditionFailed');
    assert.match(message, /overwrite: true/);
    assert.is((await failureOf(exported(rig, 'a.txt', false))).kind, 'PreconditionFailed');
    assert.is(rig.read('a.txt'), 'one\n');
    assert.equal(temporaries(rig.places.workTree), []);
    const outside = join(rig.places.workTree, '..', 'out.json');
    writeFileSync(outside, 'mine');
    assert.is((await failureOf(exported(rig, outside))).kind, 'PreconditionFailed');
    assert.is(readFileSync(outside, 'utf8'), 'mine');
    const { safety } = await exported(rig, outside, true);
    assert.is(safety, undefined, 'in no work tree of a session: replaced as asked, and not saved');
    assert.match(readFileSync(outside, 'utf8'), /"conversation_id"/);
  }));

test('a repeated export of an unchanged conversation gives the same answer', () =>
  withSession(async (rig) => {
    const first = await exported(rig, 'new.json');
    assert.equal(await exported(rig, 'new.json'), first);
    await rig.append('more');
    assert.is((await failureOf(exported(rig, 'new.json'))).kind, 'PreconditionFailed');
  }));

test('before an export replaces a file of a work tree, a safety checkpoint saves the file, even an ignored file', () =>
  withSession(async (rig) => {
    rig.write('.gitignore', 'hidden.json\n');
    for (const [path, content] of [
      ['a.txt', 'an edit that no checkpoint has\n'],
      ['hidden.json', 'ignored\n'],
    ] as const) {
      rig.write(path, content);
      const { safety } = await exported(rig, path, true);
      assert.ok(safety, path);
      const { data } = await rig.request('checkpoint/readFile', { tag: safety ?? '', path });
      assert.is(data, content);
      assert.match(rig.read(path), /"conversation_id"/);
    }
    const { checkpoints } = await rig.request('checkpoint/list', { kind: 'every' });
    const kinds = checkpoints.filter(({ kind }) => kind === 'safety');
    assert.is(kinds.length, 2);
    assert.is(kinds[0]?.description, 'Before an export');
  }));

test('if an export replaces a file of another session’s work tree, the other session saves the file', () =>
  withSession(async (rig) => {
    const other = makePlaces().workTree;
    writeFileSync(join(other, 'a.txt'), 'theirs\n');
    const { session } = await rig.client.request('session/open', { workspace: other, conversationId: 'd' });
    writeFileSync(join(other, 'a.txt'), 'theirs, edited\n');
    const { safety } = await exported(rig, join(other, 'a.txt'), true);
    const { data } = await rig.client.request('checkpoint/readFile', {
      session,
      tag: safety ?? '',
      path: 'a.txt',
    });
    assert.is(data, 'theirs, edited\n');
  }));

test('an export does not replace a file that cannot be saved', async () => {
  const places = makePlaces();
  await withSession(
    async (rig) => {
      const { kind, message } = await failureOf(exported(rig, 'a.txt', true));
      assert.is(kind, 'PreconditionFailed');
      assert.match(message, /cannot be saved/);
      assert.is(rig.read('a.txt'), 'one\n');
    },
    { places, open: { init: 'never' } },
  );
});

test('an export never writes into a git directory, whatever the name and path of the directory', () =>
  withSession(async (rig) => {
    const { workTree } = rig.places;
    execFileSync('git', ['init', '-q', '--bare', join(workTree, '.bare')]);
    mkdirSync(join(workTree, 'sub'));
    symlinkSync(join(workTree, '.git'), join(workTree, 'link'));
    writeFileSync(join(workTree, 'sub', '.git'), `gitdir: ${join(workTree, '.bare')}\n`);
    for (const path of [
      '.git/config',
      '.git/new',
      '.bare/config',
      '.bare/refs/heads/x',
      'link/x',
      'sub/.git',
    ]) {
      const place = join(workTree, path);
      for (const overwrite of [false, true]) {
        const { kind, message } = await failureOf(exported(rig, place, overwrite));
        assert.is(kind, 'InvalidParams', path);
        assert.match(message, /git/);
      }
    }
    const config = readFileSync(join(workTree, '.git/config'), 'utf8');
    assert.match(config, /^\[core\]/);
    execFileSync('git', ['-C', workTree, 'status']);
  }));

test.run();
