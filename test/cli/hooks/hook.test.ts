// Runs hooks as an agent does, with a real daemon and a real keeper, which is the process that works for the hooks.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askKeeper } from '../../../src/cli/hooks/keeper-socket.ts';
import { writeEvent } from '../../../src/cli/hooks/written-events.ts';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { until } from '../../support/until.ts';
import { assertSilent, event, hook, keepersOf, listed, logOf, socketOf, withKeeper } from './hook-rig.ts';

/** Writes a prompt event as a hook does, and asks the keeper to process the event. */
function tellPrompt(rig: DaemonRig, text: string, atMs: number): Promise<string> {
  const prompt = { agent: 'codex', conversation: 'one', directory: rig.work, kind: 'prompt' } as const;
  return askKeeper(
    socketOf(rig),
    JSON.stringify({ event: writeEvent(rig.storage, { ...prompt, text, atMs }) }),
  );
}

/** Makes a turn in which the agent writes a file, and then restores the file as a user does. */
async function restoredByUser(rig: DaemonRig, agent: string): Promise<void> {
  await hook(rig, agent, event(rig, 'UserPromptSubmit', { prompt: 'one' }));
  await until('the checkpoint is listed', async () => /\[1\]/.test(await listed(rig)));
  rig.write('a.txt', 'by the agent\n');
  await hook(rig, agent, event(rig, 'PostToolUse', { tool_name: 'Bash', tool_use_id: 't' }));
  await until('the checkpoint is listed', async () => /\[1\.1\]/.test(await listed(rig)));
  await rig.output('restore', '1', '--yes');
}

test('a prompt makes a turn checkpoint, and a tool with changes makes a tool checkpoint (Q2, Q16)', () =>
  withKeeper(async (rig) => {
    assertSilent(await hook(rig, 'claude-code', event(rig, 'SessionStart')), 'start');
    assertSilent(
      await hook(rig, 'claude-code', event(rig, 'UserPromptSubmit', { prompt: 'tidy up' })),
      'prompt',
    );
    await until('the checkpoint is listed', async () => /\[1\].*tidy up/.test(await listed(rig)));
    rig.write('a.txt', 'by the agent\n');
    const tool = {
      tool_name: 'Write',
      tool_use_id: 'toolu_1',
      tool_input: { file_path: join(rig.work, 'a.txt') },
    };
    assertSilent(await hook(rig, 'claude-code', event(rig, 'PostToolUse', tool)), 'tool');
    await until('the checkpoint is listed', async () => /\[1\.1\].*Write/.test(await listed(rig)));
    assertSilent(await hook(rig, 'claude-code', event(rig, 'PostToolUse', tool)), 'told twice');
    const look = { tool_name: 'Read', tool_use_id: 'toolu_2', tool_input: {} };
    assertSilent(await hook(rig, 'claude-code', event(rig, 'PostToolUse', look)), 'nothing changed');
    assertSilent(await hook(rig, 'claude-code', event(rig, 'SessionEnd')), 'end');
    assert.not.match(await listed(rig), /1\.2/);
    assert.is(rig.sessions().length, 1);
    assert.equal(
      logOf(rig)
        .split('\n')
        .filter((line) => !/ran out of time|was finished \d+ ms after/.test(line)),
      [''],
    );
  }));

test('after a restore by the user, the hook of the next prompt notifies the agent', () =>
  withKeeper(async (rig) => {
    await restoredByUser(rig, 'claude-code');
    assert.is(rig.read('a.txt'), 'a\n');
    // On a busy machine, a hook may give up before it has the text. Then the next prompt gets the text.
    let told = '';
    await until('the agent is notified', async () => {
      const ran = await hook(rig, 'claude-code', event(rig, 'UserPromptSubmit', { prompt: 'two' }));
      told = ran.stdout;
      return told !== '';
    });
    const output = JSON.parse(told) as {
      hookSpecificOutput: { hookEventName: string; additionalContext: string };
    };
    assert.is(output.hookSpecificOutput.hookEventName, 'UserPromptSubmit');
    assert.match(output.hookSpecificOutput.additionalContext, /restored files.*\n.*\n- a\.txt \(modified\)/);
  }));

test('the agent gets the text about a restore once, and again at the next prompt if a hook may have given up', () =>
  withKeeper(async (rig) => {
    await restoredByUser(rig, 'codex');
    // The time of a prompt decides whether its hook has given up. A time in the future is never too late.
    const minuteMs = 60_000;
    const prompt = (text: string): Promise<string> => tellPrompt(rig, text, Date.now() + minuteMs);
    assert.match(await prompt('two'), /restored files.*- a\.txt \(modified\)/);
    assert.equal(JSON.parse(await prompt('three')), {});

    const restoreFile = async (path: string, turn: string): Promise<void> => {
      rig.write(path, 'by the agent\n');
      await hook(rig, 'codex', event(rig, 'PostToolUse', { tool_name: 'Bash', tool_use_id: path }));
      await until('the checkpoint is listed', async () => (await listed(rig)).includes(`[${turn}.1]`));
      await rig.output('restore', turn, '--yes');
    };
    await restoreFile('a.txt', '3');
    await tellPrompt(rig, 'its hook has given up', Date.now() - minuteMs);
    await restoreFile('deep/b.txt', '4');
    assert.match(await prompt('five'), /- a\.txt \(modified\).*- deep\/b\.txt \(modified\)/);
    assert.equal(JSON.parse(await prompt('six')), {});
  }));

test('a hook exits with 0 and logs one line if its input is empty, truncated, of unknown form or 100 MB large', () =>
  withKeeper(async (rig) => {
    const inputs: readonly (readonly [string | Buffer, RegExp])[] = [
      ['', /empty input/],
      ['{"session_id":"one","cwd"', /not JSON, or was cut/],
      [JSON.stringify(event(rig, 'NeverHeardOf')), /event NeverHeardOf is unknown/],
      ['[1]', /not an object/],
      [Buffer.alloc(100 * 1024 * 1024, 'x'), /an event of more than \d+ bytes|ran out of time/],
    ];
    for (const [input, line] of inputs) {
      assertSilent(await hook(rig, 'claude-code', input), String(line));
      assert.match(logOf(rig), line);
    }
    assertSilent(await hook(rig, 'no-such-agent', '{}'), 'agent');
    assert.match(logOf(rig), /checkpointd does not know the agent/);
    assert.is(keepersOf(rig).length, 0);
  }));

test('a hook stops after a second even if the keeper hangs or the agent never closes the input', () =>
  withRig(async (rig) => {
    const path = socketOf(rig);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    for (const input of [event(rig, 'UserPromptSubmit', { prompt: 'x' }), null]) {
      const ran = await hook(rig, 'claude-code', input);
      assertSilent(ran, input === null ? 'open input' : 'hanging keeper');
      assert.ok(ran.ms < 2500, `took ${ran.ms} ms`); // one second for the hook, and a margin for a busy machine
      assert.match(logOf(rig), /ran out of time/);
      rmSync(join(rig.storage, 'hooks', 'hook.log'));
    }
    chmodSync(dirname(path), 0o755);
    assertSilent(
      await hook(rig, 'claude-code', event(rig, 'UserPromptSubmit', { prompt: 'x' })),
      'open to other users',
    );
    assert.match(logOf(rig), /open to other users/);
    server.close();
  }));

test('two hooks that run at the same time start only one keeper; a later hook replaces a killed keeper', () =>
  withKeeper(async (rig) => {
    const start = event(rig, 'UserPromptSubmit', { prompt: 'x' });
    await Promise.all([hook(rig, 'codex', start), hook(rig, 'codex', { ...start, session_id: 'two' })]);
    await until('one keeper is running', () => keepersOf(rig).length === 1);
    await until('both sessions exist', () => rig.sessions().length === 2);
    for (const session of rig.sessions())
      await until('the turn of the session is listed', async () =>
        /\[1\]/.test(await listed(rig, `--session=${session}`)),
      );
    for (const pid of keepersOf(rig)) process.kill(pid, 'SIGKILL');
    await until('no keeper is running', () => keepersOf(rig).length === 0);
    rig.write('a.txt', 'changed\n');
    await hook(rig, 'codex', event(rig, 'PostToolUse', { tool_name: 'Bash', tool_use_id: 'x' }));
    await until('one keeper is running', () => keepersOf(rig).length === 1);
    await until('the checkpoint is listed', async () => /\[1\.1\].*Bash/.test(await listed(rig)));
  }));

test('the command `stop` ends the keeper, which first captures the last changes of its conversations', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'x' }));
    await until('the checkpoint is listed', async () => /\[1\]/.test(await listed(rig)));
    rig.write('a.txt', 'changed\n');
    const stop = await rig.command('stop');
    assert.is(stop.code, 0, stop.stderr);
    assert.match(stop.stdout, /keeper of the hooks has ended/);
    await until('no keeper is running', () => keepersOf(rig).length === 0);
    assert.match(await listed(rig), /\[1\.1\].*Changes between the last checkpoint and the end/);
    const again = await rig.command('stop', '--json');
    assert.is(again.code, 0, again.stderr);
    assert.equal(JSON.parse(again.stdout), { stopped: false });
  }));

test('if the checkpoint of a turn begins late, the list and the log mark this checkpoint as late', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'SessionStart'));
    await until('the session exists', () => rig.sessions().length === 1);
    await tellPrompt(rig, 'late one', Date.now() - 5000);
    await tellPrompt(rig, 'late one', Date.now());
    const list = await listed(rig);
    assert.match(list, /\[1\].*late one \(captured 5\.\d s late\)\n/);
    assert.match(list, /\[2\].*late one( \(captured [^)]*\))?  \(here\)$/m);
    assert.match(logOf(rig), /was finished 5\d\d\d ms after the prompt/);
  }));

test('if the checkpoint of a turn begins in time but ends late, this checkpoint is also marked as late', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'SessionStart'));
    await until('the session exists', () => rig.sessions().length === 1);
    for (let file = 0; file < 8000; file += 1) rig.write(`many/${file % 50}/${file}.txt`, `${file}\n`);
    await tellPrompt(rig, 'slow', Date.now() - 900);
    assert.match(await listed(rig), /\[1\].* slow \(captured \d\.\d s late/);
  }));

test('the checkpoint of a turn does not have edits that were made after the prompt', () =>
  withKeeper(async (rig) => {
    for (const agent of ['claude-code', 'gemini', 'codex'] as const) {
      const of = (name: string, more: object = {}): object => ({
        ...event(rig, name, more),
        session_id: agent,
      });
      await hook(rig, agent, of('SessionStart'));
      await until('the session exists', () => rig.sessions().length > 0 && keepersOf(rig).length === 1);
      const before = rig.read('a.txt') ?? '';
      const name = agent === 'gemini' ? 'BeforeAgent' : 'UserPromptSubmit';
      await hook(rig, agent, of(name, { prompt: 'edit at once' }));
      rig.write('a.txt', `by ${agent}\n`);
      // On a busy machine, the checkpoint may take longer than the agent waits, and is then marked as late.
      if (/ran out of time/.test(logOf(rig))) continue;
      const diff = await rig.output('diff', '1', '--no-pager');
      assert.ok(diff.includes(`-${before}+by ${agent}\n`), diff);
      await hook(rig, agent, of('SessionEnd'));
    }
  }));

test('outside a repository, a hook captures nothing, and the log says why', () =>
  withKeeper(async (rig) => {
    const elsewhere = join(rig.top, 'plain');
    mkdirSync(elsewhere);
    assertSilent(await hook(rig, 'gemini', { ...event(rig, 'SessionStart'), cwd: elsewhere }), 'start');
    await until('the log has the line', () => /in no git repository/.test(logOf(rig)));
    assert.equal(rig.sessions(), []);
  }));

test.run();
