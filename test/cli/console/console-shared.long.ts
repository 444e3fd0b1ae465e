// Two editors' clients, a console and a command line use one session at the same time. The test kills both clients and
// the console one by one, in every order. The remaining programs continue, and each is notified of every checkpoint
// once. No checkpoint is lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { orders, SharedClient } from '../../support/programs/shared-clients.ts';
import { until } from '../../support/until.ts';
import { daemonEntry } from '../../support/wire-client.ts';

/** A console in which the test types. */
class TypedConsole {
  readonly name = 'console';
  readonly child: ChildProcess;
  output = '';

  constructor(rig: DaemonRig) {
    this.child = spawn(process.execPath, [daemonEntry, 'console', `--storage=${rig.storage}`], {
      env: rig.environment,
      cwd: rig.work,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  times(tag: number): number {
    return this.output.split('\n').filter((line) => line === `✓ Created checkpoint ${tag}`).length;
  }

  async type(line: string, shows: RegExp): Promise<void> {
    this.child.stdin?.write(`${line}\n`);
    await until(`${line} shows ${String(shows)}`, () => shows.test(this.output)).catch((cause: unknown) => {
      throw new Error(`the console says:\n${this.output}`, { cause });
    });
  }

  async create(message: string): Promise<void> {
    const before = this.output.length;
    this.child.stdin?.write(`/checkpoint create ${message}\n`);
    await until('the checkpoint is made', () => this.output.slice(before).includes('✓ Created checkpoint'));
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

for (const order of orders)
  test(`killing editors, console and command line in the order ${order.join(', ')} loses nothing`, () =>
    withRig(async (rig) => {
      const starter = new SharedClient(rig, 'starter', 'start', rig.storage);
      await until('the session is open', () => starter.session !== undefined);
      const owner = join(rig.shadow(starter.session ?? ''), 'checkpointd', 'owner.json');
      const { socket } = JSON.parse(readFileSync(owner, 'utf8')) as { socket: string };
      const joiner = new SharedClient(rig, 'joiner', 'attach', socket);
      await until('both clients have the session open', () => joiner.session === starter.session);
      const person = new TypedConsole(rig);
      await person.type('/status', /of .*work/);
      const all = [starter, joiner, person] as const;
      const editors = new Set<SharedClient>([starter, joiner]);
      let isPersonThere = true;
      const made: string[] = [];
      const assertTold = async (message: string): Promise<void> => {
        made.push(message);
        const tag = made.length;
        for (const editor of editors) {
          await until(`${editor.name} gets the event of ${message}`, () => editor.events(message).length > 0);
          assert.is(editor.events(message).length, 1, `${editor.name} ${message}`);
        }
        if (!isPersonThere) return;
        await until(`the console reports ${message}`, () => person.times(tag) > 0);
        assert.is(person.times(tag), 1, person.output);
      };
      for (const index of order) {
        for (const client of [...editors, ...(isPersonThere ? [person] : [])]) {
          const message = `${client.name} ${made.length}`;
          await client.create(message);
          await assertTold(message);
        }
        const message = `command line ${made.length}`;
        const ran = await rig.command('create', '-m', message);
        assert.is(ran.code, 0, ran.stderr);
        await assertTold(message);
        const victim = all[index];
        if (victim === person) isPersonThere = false;
        else if (victim instanceof SharedClient) editors.delete(victim);
        await victim?.kill();
      }
      const listed = await rig.command('list');
      assert.is(listed.code, 0, listed.stderr);
      for (const message of made)
        assert.ok(listed.stdout.includes(message), `${message} in\n${listed.stdout}`);
    }));

test.run();
