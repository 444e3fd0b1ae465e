// Many real daemons on one SQLite database, each with its own work tree and conversation, all making checkpoints at
// once: none may be lost, mixed with another's or answered with an error, and every count must be true afterwards.
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { git } from '../../support/in-process-daemon.ts';
import { sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { daemonEntry, WireClient } from '../../support/wire-client.ts';

/** What one client was told of its checkpoints: the content of the edited file by the id of the checkpoint. */
interface Told {
  readonly id: string;
  readonly content: string;
}

/** Some contents are everybody's, some one daemon's alone, and some too large for one row. */
function contentOf(daemon: number, turn: number): string {
  if (turn % 10 === 0) return `everybody's ${turn}\n`;
  if (turn % 100 === 1) return `daemon ${daemon} turn ${turn}\n`.repeat(6_000);
  return `daemon ${daemon} turn ${turn}\n`;
}

class Member {
  readonly told: Told[] = [];
  readonly root: string;
  slowestMs = 0;
  readonly #client: WireClient;
  readonly #number: number;
  #session = '';

  constructor(storage: string, number: number) {
    this.#number = number;
    this.root = realpathSync(temporaryDirectory(`crowd-${number}`));
    git(this.root, 'init', '-q', '-b', 'main');
    mkdirSync(join(this.root, 'src'));
    for (let i = 0; i < 20; i += 1) writeFileSync(join(this.root, 'src', `${i}.txt`), `file ${i}\n`);
    this.#client = new WireClient({
      command: [process.execPath, daemonEntry],
      args: [`--storage-dir=${storage}`],
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      timeoutMs: 120_000,
    });
  }

  async open(): Promise<void> {
    await this.#client.initialize();
    const { session } = await this.#client.request('session/open', {
      workspace: this.root,
      strategy: 'sqlite',
      conversationId: `conversation ${this.#number}`,
    });
    this.#session = session;
  }

  async work(turns: number): Promise<void> {
    for (let turn = 1; turn <= turns; turn += 1) {
      const content = contentOf(this.#number, turn);
      writeFileSync(join(this.root, 'edited.txt'), content);
      const began = performance.now();
      const { checkpoint } = await this.#client.request('checkpoint/create', {
        session: this.#session,
        kind: 'turn',
        message: `daemon ${this.#number} turn ${turn}`,
      });
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
      assert.is(checkpoint.tag, `${turn}`);
      this.told.push({ id: checkpoint.id, content });
    }
  }

  /** Everything that was answered is there, in order, whole, and nobody else's. */
  async verify(every: number): Promise<void> {
    const [client, session] = [this.#client, this.#session];
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.request('checkpoint/list', {
        session,
        ...(cursor === undefined ? {} : { cursor }),
      });
      ids.push(...page.checkpoints.map(({ id }) => id));
      for (const { description, tag } of page.checkpoints)
        if (tag !== '0') assert.is(description, `daemon ${this.#number} turn ${tag}`);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    assert.equal(
      ids.slice(1),
      this.told.map(({ id }) => id),
    );
    for (const [i, { id, content }] of this.told.entries()) {
      if (i % every !== 0) continue;
      const file = await client.request('checkpoint/readFile', { session, tag: id, path: 'edited.txt' });
      assert.is(file.data, content, `daemon ${this.#number}, ${i + 1}`);
    }
    const { ok, problems } = await client.request('store/verify', { session });
    assert.ok(ok, JSON.stringify(problems));
    for (const at of [0, Math.floor(this.told.length / 2), this.told.length - 1]) {
      const { id, content } = this.told[at] ?? { id: '', content: '' };
      await client.request('checkpoint/restore', { session, tag: id, mode: 'hard' });
      assert.is(readFileSync(join(this.root, 'edited.txt'), 'utf8'), content);
      assert.is(readFileSync(join(this.root, 'src', '7.txt'), 'utf8'), 'file 7\n');
    }
  }

  async close(): Promise<void> {
    assert.equal(this.#client.violations, []);
    assert.is((await this.#client.close()).code, 0);
  }

  async kill(): Promise<void> {
    await this.#client.kill();
  }
}

/** The whole trial; returns the longest that any create took. */
export async function crowdOfDaemons(daemons: number, turns: number): Promise<number> {
  const storage = join(temporaryDirectory('crowd'), 'storage');
  const members = Array.from({ length: daemons }, (_, i) => new Member(storage, i));
  try {
    await Promise.all(members.map((member) => member.open()));
    await Promise.all(members.map((member) => member.work(turns)));
    await Promise.all(members.map((member) => member.verify(Math.max(1, Math.floor(turns / 40)))));
    await Promise.all(members.map((member) => member.close()));
  } finally {
    for (const member of members) await member.kill();
  }
  sqliteAfterwards(storage);
  return Math.max(...members.map(({ slowestMs }) => slowestMs));
}
