// Tests that `checkpointd sessions delete` lists sessions, asks the user and deletes.
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandResult, type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { commandOf, hasTerminal, inTerminal } from '../console/console-rig.ts';

const run = (rig: DaemonRig, ...words: string[]): Promise<CommandResult> =>
  rig.command('sessions', 'delete', ...words);

const strategies = ['shadow', 'local', 'sqlite'] as const;

/** A kept session of each strategy, each with one turn. */
async function keptSessions(rig: DaemonRig): Promise<[string, string, string]> {
  const client = await rig.start();
  const made: string[] = [];
  for (const strategy of strategies) {
    const conversationId = `codex:${strategy}`;
    const { session } = await rig.open(client, { conversationId, retention: 'keep', strategy });
    await client.request('checkpoint/create', { session, kind: 'turn', message: `in ${strategy}` });
    made.push(session);
  }
  await client.close();
  return made as [string, string, string];
}

function age(rig: DaemonRig, session: string, days: number): void {
  const at = Date.now() / 1000 - days * 24 * 60 * 60;
  for (const name of ['session.log', 'published.log'])
    utimesSync(join(rig.storage, session, 'checkpointd', name), at, at);
}

test('the command `sessions delete` first lists the sessions, and deletes nothing without an answer', () =>
  withRig(async (rig) => {
    const [shadow, local, sqlite] = await keptSessions(rig);
    const unasked = await run(rig, shadow, local.slice(0, 20));
    assert.is(unasked.code, 2);
    assert.match(
      unasked.stderr,
      /no terminal is connected, so the command cannot ask\. --yes deletes without asking/,
    );
    assert.match(unasked.stdout, /^Deletes 2 sessions with all checkpoints and the conversation/);
    assert.match(unasked.stdout, new RegExp(`${shadow} .*codex .*2 checkpoints .*"in shadow"`));
    assert.match(unasked.stdout, new RegExp(`${local} .*codex .*2 checkpoints .*"in local"`));
    const dry = await run(rig, shadow, '--dry-run');
    assert.equal([dry.code, rig.sessions().length], [0, 3]);
    assert.match(dry.stdout, /^Would delete 1 session with all checkpoints/);
    const done = await run(rig, shadow, local.slice(0, 20), '--yes');
    assert.is(done.code, 0, done.stderr);
    assert.match(
      done.stdout,
      new RegExp(`Deleted ${shadow} \\(\\d+ bytes\\)\\.\nDeleted ${local} \\(\\d+ bytes\\)`),
    );
    assert.equal(rig.sessions(), [sqlite]);
    assert.is(rig.read('a.txt'), 'a\n');
  }));

test('`sessions delete --older-than` deletes the sessions that were not used for the given number of days', () =>
  withRig(async (rig) => {
    const [shadow, local, sqlite] = await keptSessions(rig);
    age(rig, shadow, 31);
    age(rig, local, 29);
    assert.match(
      (await run(rig, '--older-than', '90', '--yes')).stdout,
      /^No session is that old: every session was used more recently\.\n$/,
    );
    const done = await run(rig, '--older-than', '30', '--yes', '--json');
    assert.is(done.code, 0, done.stderr);
    const { sessions } = JSON.parse(done.stdout) as { sessions: { session: string; deleted: boolean }[] };
    assert.equal(
      sessions.map(({ session, deleted }) => [session, deleted]),
      [[shadow, true]],
    );
    assert.equal(rig.sessions().sort(), [local, sqlite].sort());
  }));

test('the command `sessions delete` refuses wrong or unknown words without deleting anything', () =>
  withRig(async (rig) => {
    const [shadow] = await keptSessions(rig);
    const wrong: readonly (readonly [number, RegExp, ...string[]])[] = [
      [2, /the command needs either ids of sessions or --older-than/],
      [2, /the command needs either ids of sessions or --older-than/, shadow, '--older-than=1'],
      [2, /takes a number of days/, '--older-than=never'],
      [2, /several sessions have ids that begin with ses_/, 'ses_'],
      [3, /no session ses_none|has the id ses_none/, shadow, 'ses_none'],
    ];
    for (const [code, what, ...words] of wrong) {
      const ran = await run(rig, '--yes', ...words);
      assert.is(ran.code, code, words.join(' '));
      assert.match(ran.stderr, what);
    }
    assert.is(rig.sessions().length, 3);
  }));

test('the command `sessions delete` keeps and reports a session that another process has open', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const ran = await run(rig, session, '--yes');
    assert.is(ran.code, 1);
    assert.match(ran.stderr, new RegExp(`${session} was not deleted: .*open in process`));
    assert.equal(rig.sessions(), [session]);
    await client.close();
  }));

if (hasTerminal())
  test('the command `sessions delete` asks for confirmation, and deletes nothing if the user says no', () =>
    withRig(async (rig) => {
      const [shadow] = await keptSessions(rig);
      const command = commandOf(rig, `sessions delete ${shadow}`);
      for (const [answer, left] of [
        ['n', 3],
        ['y', 2],
      ] as const) {
        await inTerminal(rig, command, async ({ type, shows, ended }) => {
          await shows(/The deletion cannot be undone\. \[y\/N\]/);
          type(answer, 'Enter');
          await ended();
        });
        assert.is(rig.sessions().length, left);
      }
    }));

test.run();
