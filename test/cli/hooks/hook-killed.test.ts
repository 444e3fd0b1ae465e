// Tests that each event of an agent is processed once, even if hooks, keepers or agents are killed. A keeper is the
// process that works for the hooks.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentEvent } from '../../../src/cli/hooks/payloads.ts';
import { writeEvent, writtenEvents } from '../../../src/cli/hooks/written-events.ts';
import type { DaemonRig } from '../../support/daemon-rig.ts';
import { daemonsOf } from '../../support/programs/keepers.ts';
import { until } from '../../support/until.ts';
import { event, hook, keepersOf, listed, logOf, socketOf, startHook, withKeeper } from './hook-rig.ts';

/** Waits until every event was processed. */
const allTaken = (rig: DaemonRig): Promise<void> =>
  until('all events are processed', () => writtenEvents(rig.storage).length === 0);

const contentIn = (rig: DaemonRig, tag: string): Promise<string> =>
  rig.output('diff', '0', tag, '--no-pager');

function eventOf(rig: DaemonRig, kind: AgentEvent['kind'], more: Partial<AgentEvent> = {}): AgentEvent {
  return { agent: 'codex', conversation: 'one', directory: rig.work, kind, atMs: Date.now(), ...more };
}

async function killAll(pids: () => number[]): Promise<void> {
  for (const pid of pids()) process.kill(pid, 'SIGKILL');
  await until('the processes have ended', () => pids().length === 0);
}

test('at the end of a conversation, the keeper of the hooks captures the changes since the last tool', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    rig.write('a.txt', 'the last change\n');
    await hook(rig, 'codex', event(rig, 'SessionEnd'));
    await allTaken(rig);
    assert.match(
      await listed(rig),
      /\[1\.1\].*\+0 ~1 -0 {2}Changes between the last checkpoint and the end of the conversation/,
    );
    assert.match(await contentIn(rig, '1.1'), /\+the last change/);
  }));

test('if a keeper was killed, a new keeper captures the changes at the end of the conversation', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    await killAll(() => keepersOf(rig));
    rig.write('a.txt', 'the last change\n');
    await hook(rig, 'codex', event(rig, 'SessionEnd'));
    await allTaken(rig);
    assert.match(await contentIn(rig, '1.1'), /\+the last change/);
  }));

test('if the running keeper dies before it answers, the hook starts a new keeper', () =>
  withKeeper(async (rig) => {
    const path = socketOf(rig);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const dying = createServer((socket) =>
      socket.once('data', () => {
        dying.close();
        socket.destroy();
      }),
    );
    await new Promise<void>((resolve) => dying.listen(path, resolve));
    chmodSync(path, 0o600);
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    assert.match(await listed(rig), /\[1\].*one/);
  }));

test('the end event of a conversation that never began creates no session', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'SessionEnd'));
    await allTaken(rig);
    assert.equal(rig.sessions(), []);
  }));

test('a keeper captures the changes of its open conversations before it ends', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    rig.write('a.txt', 'the last change\n');
    for (const pid of keepersOf(rig)) process.kill(pid, 'SIGTERM');
    await until('no keeper is running', () => keepersOf(rig).length === 0);
    assert.match(await contentIn(rig, '1.1'), /\+the last change/);
  }));

test('if a hook is killed before it reaches a keeper, the next command processes the hook’s event', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    await killAll(() => keepersOf(rig));
    rig.write('a.txt', 'the last change\n');
    writeEvent(rig.storage, eventOf(rig, 'end'));
    assert.match(
      await listed(rig),
      /\[1\.1\].*Changes between the last checkpoint and the end of the conversation/,
    );
    assert.equal(writtenEvents(rig.storage), []);
  }));

test('if a hook needs more than a second to start, no event is lost', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    const slow = join(rig.top, 'slow.cjs');
    writeFileSync(slow, 'const end = Date.now() + 1200; while (Date.now() < end);');
    rig.write('a.txt', 'the last change\n');
    const ran = await hook(rig, 'codex', event(rig, 'SessionEnd'), { NODE_OPTIONS: `--require=${slow}` });
    assert.is(ran.code, 0);
    await until('the last change is captured', async () => /\[1\.1\]/.test(await listed(rig)));
    assert.match(await contentIn(rig, '1.1'), /\+the last change/);
    assert.not.match(logOf(rig), /event is lost/);
  }));

test('a keeper processes an event even if the hook never contacts the keeper', () =>
  withKeeper(async (rig) => {
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    writeEvent(rig.storage, eventOf(rig, 'prompt', { text: 'two' }));
    await allTaken(rig);
    assert.match(await listed(rig), /\[2\].*two/);
  }));

test('if a killed keeper had already processed an event, the event is not processed again', () =>
  withKeeper(async (rig) => {
    const told = [
      eventOf(rig, 'prompt', { text: 'one' }),
      eventOf(rig, 'tool', { tool: 'Bash' }),
      eventOf(rig, 'end'),
    ];
    // Writes each event again after it was processed, like a keeper that is killed before it removes the processed
    // event.
    for (const [at, each] of told.entries()) {
      rig.write('a.txt', `${at}\n`);
      writeEvent(rig.storage, each, `00000${at}`);
      await listed(rig);
      await allTaken(rig);
    }
    const before = await listed(rig);
    assert.match(before, /\[1\].*one.*\n.*\[1\.1\].*Bash\n.*\[1\.2\].*Changes between the last checkpoint/);
    await killAll(() => [...keepersOf(rig), ...daemonsOf(rig.storage)]);
    rig.write('a.txt', 'by the user\n');
    for (const [at, each] of told.entries()) writeEvent(rig.storage, each, `00000${at}`);
    await listed(rig);
    await allTaken(rig);
    assert.is(await listed(rig), before);
  }));

test('an unreadable event is skipped and logged', () =>
  withKeeper(async (rig) => {
    const id = writeEvent(rig.storage, eventOf(rig, 'prompt', { text: 'one' }));
    writeFileSync(join(rig.storage, 'hooks', 'events', `${id}.json`), '{"agent":"cod');
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'two' }));
    await allTaken(rig);
    assert.match(await listed(rig), /\[1\].*two/);
    assert.match(logOf(rig), /the keeper cannot read an event that a hook wrote/);
  }));

test('if hooks are killed at any moment, no change is lost, and no checkpoint is made twice', () =>
  withKeeper(async (rig) => {
    const rounds = 10;
    await hook(rig, 'codex', event(rig, 'UserPromptSubmit', { prompt: 'one' }));
    await allTaken(rig);
    for (let round = 0; round < rounds; round += 1) {
      rig.write('a.txt', `round ${round}\n`);
      const tool = { tool_name: `Tool${round}`, tool_use_id: `call-${round}` };
      const child = startHook(rig, 'codex', event(rig, 'PostToolUse', tool));
      await delay(round * 16);
      child.kill('SIGKILL');
      if (round % 5 === 4) await killAll(() => keepersOf(rig));
    }
    await hook(rig, 'codex', event(rig, 'SessionEnd'));
    await allTaken(rig);
    const list = await listed(rig);
    for (let round = 0; round < rounds; round += 1)
      assert.ok(list.split(`Tool${round}\n`).length <= 2, `round ${round} once at most:\n${list}`);
    const head = [...list.matchAll(/\[(1\.\d+)\]/g)].at(-1)?.[1] ?? '';
    assert.match(await contentIn(rig, head), new RegExp(`\\+round ${rounds - 1}`));
  }));

test.run();
