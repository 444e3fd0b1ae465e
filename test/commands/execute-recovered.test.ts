// If a restore broke in this daemon, the next change of any kind finishes the restore. The answer to this change
// reports the lost contents. Before the change, the session reports an unfinished restore.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CancelledAfterRecovery, CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import type { CommandMethod } from '../../src/commands/command.ts';
import type { EventOf, Strategy } from '../../src/protocol/types.ts';
import { git } from '../support/git-oracle.ts';
import { breakAt, interrupt } from '../support/interrupted-restore.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { changes } from './execute-changes.ts';

const names = ['x', 'y', 'z'];

/**
 * Breaks a restore after its first files. Also removes contents from the store, so that the daemon can neither finish
 * nor undo the restore.
 */
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
  'revert',
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
  test(`${change.method} finishes an interrupted restore, and reports the paths that could not be restored`, () =>
    withSessions(async (rig) => {
      rig.write('a.txt', 'one\n');
      const opening = { workspace: rig.work, ...change.open, retention: 'keep' } as const;
      const { session } = await rig.request('session/open', opening);
      await change.prepare?.((method, params) => rig.request(method, { session, ...params }), rig);
      await breakRestore(rig, session);
      assert.is((await rig.request('session/get', { session })).unfinishedRestore, true);
      const { warnings = [] } = (await rig.request(change.method, {
        session,
        ...change.params,
      })) as {
        readonly warnings?: readonly string[];
      };
      assert.match(warnings.join('\n'), /An interrupted restore is finished, except for \d path/);
      assert.is((await rig.request('session/get', { session })).unfinishedRestore, undefined);
    }));
}

const tens = Array.from({ length: 10 }, (_, n) => `f${n}`);

/**
 * Opens a session whose hard restore of turn 1 stopped at its 7th file. The restore had ten files, all changed by turn
 * 2.
 */
async function stoppedHalfWay(
  rig: SessionRig,
  strategy: Strategy = 'shadow',
): Promise<{ readonly session: string; readonly first: string; readonly second: string }> {
  const { session } = await rig.request('session/open', {
    workspace: rig.work,
    retention: 'keep',
    strategy,
  });
  const turn = async (text: string): Promise<string> => {
    for (const name of tens) rig.write(name, `${name} ${text}\n`);
    const { checkpoint } = await rig.request('checkpoint/create', { session, kind: 'turn' });
    return checkpoint.id;
  };
  const [first, second] = [await turn('one'), await turn('two')];
  installFault(breakAt(20));
  try {
    await rig.request('checkpoint/restore', { session, tag: first, mode: 'hard' });
    assert.unreachable('the restore ended before it could be broken');
  } catch (error) {
    assert.is(failureOf(error).kind, 'RestoreFailed');
  } finally {
    installFault(undefined);
  }
  const done = tens.filter((name) => rig.read(name) === `${name} one\n`).length;
  assert.ok(done > 0 && done < tens.length, `${done} of ${tens.length} files were restored when it stopped`);
  return { session, first, second };
}

function failureOf(error: unknown): CheckpointdError {
  if (error instanceof CheckpointdError) return error;
  throw error;
}

/** Sends a request that must be refused, and returns the failure. */
async function refusal(method: CommandMethod, request: Promise<unknown>): Promise<CheckpointdError> {
  const refused = await request.then(() => undefined, failureOf);
  assert.ok(refused, `${method} was refused`);
  return refused;
}

const recoveredEvents = (rig: SessionRig): EventOf<'checkpoint/didRestore'>[] =>
  rig.daemon.told
    .filter(({ method }) => method === 'checkpoint/didRestore')
    .map(({ params }) => params as EventOf<'checkpoint/didRestore'>)
    .filter(({ recovered }) => recovered === true);

const paths = (list: readonly { readonly path: string }[] | undefined): string[] | undefined =>
  list?.map(({ path }) => path);

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: a request that finishes an interrupted restore reports the restore, with later edits as conflicts`, () =>
    withSessions(async (rig) => {
      const { session, first } = await stoppedHalfWay(rig, strategy);
      rig.write('f9', 'an edit since it stopped\n');
      const { warnings = [] } = await rig.request('checkpoint/create', { session, kind: 'turn' });
      for (const name of tens) assert.is(rig.read(name), `${name} one\n`);
      const [event, ...more] = recoveredEvents(rig);
      assert.equal(more, []);
      assert.is(event?.target, first);
      assert.equal(paths(event?.conflicts), ['f9']);
      assert.ok(paths(event?.restored)?.includes('f9'));
      assert.equal([event?.deleted, event?.failed, event?.skipped], [[], [], []]);
      assert.is(event?.counts.restored, event?.restored?.length);
      assert.is(event?.counts.conflicts, 1);
      assert.match(
        warnings.join('\n'),
        /An interrupted restore was finished.*1 of them edited outside this session/,
      );
      await rig.request('checkpoint/undo', { session });
      assert.is(rig.read('f9'), 'an edit since it stopped\n');
      assert.is(rig.read('f0'), 'f0 two\n');
    }));
}

test('if session/open finishes a killed restore, all listeners are informed of the restore', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    for (const name of tens) rig.write(name, `${name} one\n`);
    const { checkpoint } = await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    for (const name of tens) rig.write(name, `${name} two\n`);
    await interrupt(rig, session, 20, () =>
      rig.request('checkpoint/restore', { session: session.id, tag: checkpoint.id, mode: 'hard' }),
    );
    await rig.open();
    const [event, ...more] = recoveredEvents(rig);
    assert.equal(more, []);
    assert.is(event?.target, checkpoint.id);
    assert.ok((event?.restored?.length ?? 0) > 0);
  }));

test('a request that undoes an unfinished restore reports the state to which the files returned', () =>
  withSessions(async (rig) => {
    const { session, first } = await stoppedHalfWay(rig);
    const { directory } = rig.sessions.get(session).parts;
    const target = tens.find((name) => rig.read(name) !== `${name} one\n`) ?? '';
    const copy = join(directory.own, 'lost');
    writeFileSync(copy, `${target} one\n`);
    const id = git(directory.root, 'hash-object', copy).trim();
    rmSync(copy);
    rmSync(join(directory.root, 'objects', id.slice(0, 2), id.slice(2)));
    const { warnings = [] } = await rig.request('conversation/clear', { session });
    for (const name of tens) assert.is(rig.read(name), `${name} two\n`);
    const [event] = recoveredEvents(rig);
    assert.not.equal(event?.target, first);
    assert.ok((event?.restored?.length ?? 0) > 0);
    assert.match(warnings.join('\n'), /could not be finished and was undone/);
  }));

/** The requests that are invalid both before and after a recovery. */
const wrong: readonly [CommandMethod, object, string][] = [
  ['checkpoint/create', { kind: 'turn', parent: 'none' }, 'UnknownCheckpoint'],
  ['checkpoint/create', { kind: 'turn', tag: '1.1' }, 'InvalidTag'],
  ['checkpoint/create', { kind: 'turn', name: '3.2' }, 'InvalidName'],
  ['checkpoint/restore', { tag: '77' }, 'UnknownCheckpoint'],
  ['checkpoint/restore', { tag: '1', paths: [{ path: '../x' }] }, 'PathOutsideWorkTree'],
  ['checkpoint/restore', { tag: '1', expect: { head: '77' } }, 'UnknownCheckpoint'],
  ['checkpoint/undo', { expect: { head: '77' } }, 'UnknownCheckpoint'],
  ['checkpoint/redo', { expect: { head: '77' } }, 'UnknownCheckpoint'],
  ['checkpoint/delete', { tag: '77' }, 'UnknownCheckpoint'],
  ['checkpoint/rename', { tag: '77', name: 'x' }, 'UnknownCheckpoint'],
  ['checkpoint/rename', { tag: '1', name: '3.2' }, 'InvalidName'],
  [
    'conversation/append',
    { entry: { user: { content: 'x'.repeat(500_000) }, assistant: { content: '' } } },
    'MessageTooLarge',
  ],
  ['conversation/appendTranscript', { text: 'x'.repeat(500_000) }, 'MessageTooLarge'],
  ['conversation/setNextMessage', { message: { content: 'x'.repeat(500_000) } }, 'MessageTooLarge'],
  ['conversation/compact', { summary: 'x'.repeat(500_000) }, 'MessageTooLarge'],
  ['conversation/compact', { summary: 'x', keep: 1, keepFrom: 'e' }, 'InvalidParams'],
  ['conversation/import', {}, 'InvalidParams'],
  ['conversation/addContext', { paths: ['../x'] }, 'PathOutsideWorkTree'],
  ['conversation/removeContext', { paths: ['../x'] }, 'PathOutsideWorkTree'],
  ['conversation/recordLines', { path: '../x', operation: 'create' }, 'PathOutsideWorkTree'],
  ['ledger/recordWrite', { path: '../x' }, 'PathOutsideWorkTree'],
];

test('an invalid request is refused with the effects "none" before any recovery', () =>
  withSessions(async (rig) => {
    const { session } = await stoppedHalfWay(rig);
    const before = tens.map((name) => rig.read(name));
    for (const [method, params, kind] of wrong) {
      const refused = await refusal(method, rig.request(method, { session, ...params }));
      assert.equal([refused.kind, refused.effects], [kind, 'none'], `${method}: ${refused.message}`);
    }
    assert.equal(
      tens.map((name) => rig.read(name)),
      before,
    );
    assert.is((await rig.request('session/get', { session })).unfinishedRestore, true);
  }));

test('if a refused request has finished a restore, the error does not say that nothing changed', () =>
  withSessions(async (rig) => {
    const { session, second } = await stoppedHalfWay(rig);
    const refused = await refusal(
      'checkpoint/restore',
      rig.request('checkpoint/restore', { session, tag: second, expect: { head: second } }),
    );
    assert.equal([refused.kind, refused.effects], ['PreconditionFailed', 'unknown']);
    for (const name of tens) assert.is(rig.read(name), `${name} one\n`);
    assert.is(recoveredEvents(rig).length, 1);
  }));

test('a request finishes an interrupted restore and is then cancelled: the error of the request does not say that nothing changed', () =>
  withSessions(async (rig) => {
    const { session } = await stoppedHalfWay(rig);
    const cancel = new AbortController();
    installFault(() => {
      if (recoveredEvents(rig).length > 0) cancel.abort();
    });
    try {
      await rig.request('checkpoint/create', { session, kind: 'turn' }, cancel.signal);
      assert.unreachable('it was not cancelled');
    } catch (error) {
      assert.instance(error, CancelledAfterRecovery);
      assert.is((error as Error).name, 'AbortError');
    } finally {
      installFault(undefined);
    }
    for (const name of tens) assert.is(rig.read(name), `${name} one\n`);
  }));

test('if the first checkpoint is empty although the directory has files, checkpoint/init warns of this', () =>
  withSessions(async (rig) => {
    rig.write('a.txt', 'one\n');
    rig.write('.gitignore', '*\n');
    const { session } = await rig.request('session/open', { workspace: rig.work, init: 'never' });
    const { warnings = [] } = await rig.request('checkpoint/init', { session });
    assert.is(warnings.length, 1);
  }));

test('session/get names the change that is running', () =>
  withSessions(async (rig) => {
    const { session } = await rig.request('session/open', { workspace: rig.work });
    const running = rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.is((await rig.request('session/get', { session })).queue.running, 'checkpoint/create');
    await running;
    assert.is((await rig.request('session/get', { session })).queue.running, undefined);
  }));

test.run();
