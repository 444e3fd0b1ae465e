// A restore that broke in this daemon is recovered by the next change, whatever that is: it is told by the change's
// answer what was lost, and until then the session says that it has a restore to finish.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { git } from '../support/git-oracle.ts';
import { breakAt } from '../support/interrupted-restore.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { changes } from './execute-changes.ts';

const names = ['x', 'y', 'z'];

/** Breaks a restore after its first files, and takes from the store what it would need to go on or back. */
async function breakRestore(rig: SessionRig, session: string): Promise<void> {
  const write = (turn: string): void => {
    for (const name of names) rig.write(name, `${name} ${turn}\n`);
  };
  write('one');
  await rig.request('checkpoint/create', { session, kind: 'turn', name: 'broken' });
  write('two');
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  installFault(breakAt(5));
  try {
    await rig.request('checkpoint/restore', {
      session,
      tag: 'broken',
      paths: names.map((path) => ({ path })),
      scope: 'files',
    });
    assert.unreachable('the restore ended before it could be broken');
  } catch (error) {
    assert.is((error as { readonly kind?: string }).kind, 'RestoreFailed');
  } finally {
    installFault(undefined);
  }
  const { directory } = rig.sessions.get(session).parts;
  for (const name of names) {
    const lost = rig.read(name) === `${name} one\n` ? `${name} two\n` : `${name} one\n`;
    const copy = join(directory.own, 'lost');
    writeFileSync(copy, lost);
    const id = git(directory.root, 'hash-object', copy).trim();
    rmSync(copy);
    rmSync(join(directory.root, 'objects', id.slice(0, 2), id.slice(2)));
  }
}

const told = [
  'rename',
  'clean',
  'append',
  'appendTranscript',
  'clear',
  'setValidRange',
  'compact',
  'recordLines',
  'removeContext',
  'setTools',
  'setMcpEnabled',
  'enterTangent',
  'recordWrite',
];

for (const name of told) {
  const change = changes[name];
  if (change === undefined) throw new Error(`no change ${name}`);
  test(`${change.method} recovers a restore that broke, and tells what of it was lost`, () =>
    withSessions(async (rig) => {
      rig.write('a.txt', 'one\n');
      const { session } = await rig.request('session/open', { workspace: rig.work, retention: 'keep' });
      await change.prepare?.((method, params) => rig.request(method, { session, ...params }), rig);
      await breakRestore(rig, session);
      assert.is((await rig.request('session/get', { session })).unfinishedRestore, true);
      const { warnings = [] } = (await rig.request(change.method, {
        session,
        ...change.params,
      })) as {
        readonly warnings?: readonly string[];
      };
      assert.match(warnings.join('\n'), /A restore that was interrupted is finished, but for \d path/);
      assert.is((await rig.request('session/get', { session })).unfinishedRestore, undefined);
    }));
}

test('a base that holds nothing of a directory that does is told by checkpoint/init', () =>
  withSessions(async (rig) => {
    rig.write('a.txt', 'one\n');
    rig.write('.gitignore', '*\n');
    const { session } = await rig.request('session/open', { workspace: rig.work, init: 'never' });
    const { warnings = [] } = await rig.request('checkpoint/init', { session });
    assert.is(warnings.length, 1);
  }));

test('a session says which change runs', () =>
  withSessions(async (rig) => {
    const { session } = await rig.request('session/open', { workspace: rig.work });
    const running = rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.is((await rig.request('session/get', { session })).queue.running, 'checkpoint/create');
    await running;
    assert.is((await rig.request('session/get', { session })).queue.running, undefined);
  }));

test.run();
