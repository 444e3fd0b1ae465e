// In a work tree with several sessions, a command uses the session that was used last.
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import type { WireClient } from '../support/wire-client.ts';

interface Agent {
  readonly client: WireClient;
  readonly session: string;
}

/**
 * Makes a conversation of an agent with one turn, which writes `content` to a.txt. The session stays open until the
 * client ends.
 */
async function withOneTurn(
  rig: DaemonRig,
  agent: string,
  content: string,
  strategy: 'shadow' | 'local' | 'sqlite' = 'shadow',
): Promise<Agent> {
  const { client, session } = await rig.opened({ conversationId: `${agent}:1`, retention: 'keep', strategy });
  rig.write('a.txt', content);
  await client.request('checkpoint/create', { session, kind: 'turn', message: `write ${content.trim()}` });
  return { client, session };
}

/** Sets the last use of a session to the given number of minutes ago. */
function age(rig: DaemonRig, session: string, minutes: number): void {
  const at = Date.now() / 1000 - minutes * 60;
  for (const name of ['session.log', 'published.log'])
    utimesSync(join(rig.storage, session, 'checkpointd', name), at, at);
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: the command \`restore\` uses the kept session that was used last, not a session that a dead agent left open`, () =>
    withRig(async (rig) => {
      const dead = await withOneTurn(rig, 'claude-code', 'by the dead one\n', strategy);
      age(rig, dead.session, 20);
      const used = await withOneTurn(rig, 'codex', 'by the last one\n', strategy);
      await used.client.close();
      rig.write('a.txt', 'spoilt\n');
      const ran = await rig.command('restore', '1', '--hard', '--yes');
      assert.is(ran.code, 0, ran.stderr);
      assert.is(rig.read('a.txt'), 'by the last one\n');
      const { stdout } = await rig.command('sessions');
      const lines = stdout.trimEnd().split('\n');
      assert.match(
        lines[0] ?? '',
        new RegExp(`^${used.session} .*codex.* 2 checkpoints .*write by the last one`),
      );
      assert.match(
        lines[1] ?? '',
        new RegExp(`^${dead.session} .*claude-code.* 2 checkpoints .*write by the dead one`),
      );
      await dead.client.close();
    }));

test('if another session was used within the last hour, a command that changes files says which session it uses', () =>
  withRig(async (rig) => {
    const other = await withOneTurn(rig, 'claude-code', 'one\n');
    await other.client.close();
    age(rig, other.session, 20);
    const used = await withOneTurn(rig, 'codex', 'two\n');
    await used.client.close();
    const ran = await rig.command('restore', '1', '--yes');
    assert.is(ran.code, 0, ran.stderr);
    assert.match(
      ran.stderr,
      new RegExp(
        `using session ${used.session.slice(0, 12)} of codex \\("write two"\\)\\. Another session, of claude-code \\("write one"\\), was last used 20 minutes ago; --session=${other.session.slice(0, 12)} uses it`,
      ),
    );
    const named = await rig.command('restore', '1', '--yes', `--session=${other.session.slice(0, 12)}`);
    assert.is(named.stderr, '');
    assert.is(rig.read('a.txt'), 'one\n');
    age(rig, used.session, 61);
    const alone = await rig.command('undo');
    assert.not.match(alone.stderr, /using session ses_/);
    assert.is(rig.read('a.txt'), 'two\n');
  }));

test('an append or a restore makes a session the most recently used session; reading does not', () =>
  withRig(async (rig) => {
    const one = await withOneTurn(rig, 'claude-code', 'one\n');
    const two = await withOneTurn(rig, 'codex', 'two\n');
    await two.client.close();
    age(rig, one.session, 10);
    age(rig, two.session, 5);
    const taken = async (): Promise<string> =>
      (JSON.parse((await rig.command('status', '--json')).stdout) as { readonly session: string }).session;
    assert.is(await taken(), two.session);
    await rig.command('list', `--session=${one.session}`);
    await rig.command('status', `--session=${one.session}`);
    assert.is(await taken(), two.session, 'one was looked at');
    await one.client.request('conversation/append', {
      session: one.session,
      entry: { user: { content: 'hello' }, assistant: { content: 'yes' } },
    });
    assert.is(await taken(), one.session, 'an entry');
    await one.client.close();
    await rig.command('restore', '0', '--yes', `--session=${two.session}`);
    assert.is(await taken(), two.session, 'a restore');
  }));

test.run();
