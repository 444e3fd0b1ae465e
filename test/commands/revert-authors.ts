// Makes a random history of several sessions in one work tree, and reverts the work of one author. Each line contains
// its author's name. Therefore the test knows which lines must stay.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Random } from '../../scripts/torture/random.ts';
import { type InProcessDaemon, manifest, repository } from '../support/in-process-daemon.ts';

const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
const lineCount = 30;

class History {
  readonly root = repository(
    Object.fromEntries(
      names.map((name) => [name, Array.from({ length: lineCount }, (_, n) => `base ${n}\n`).join('')]),
    ),
  );
  readonly sessions: string[] = [];
  readonly tags: string[][] = [];
  readonly random: Random;
  /** Two daemons. The third session belongs to the second daemon. */
  readonly daemons: readonly [InProcessDaemon, InProcessDaemon];
  #written = 0;
  #unreported: (() => Promise<void>)[] = [];

  constructor(daemons: readonly [InProcessDaemon, InProcessDaemon], random: Random) {
    this.daemons = daemons;
    this.random = random;
  }

  daemonOf(who: number): InProcessDaemon {
    return who === 2 ? this.daemons[1] : this.daemons[0];
  }

  async open(who: number): Promise<void> {
    const request = { conversationId: `agent${who}:1`, retention: 'keep' as const };
    const { session } = await this.daemonOf(who).open(this.root, request);
    this.sessions[who] = session;
    this.tags[who] ??= [];
  }

  async checkpoint(who: number): Promise<void> {
    const session = this.sessions[who] ?? '';
    const made = await this.daemonOf(who).call('checkpoint/create', { session, kind: 'tool' });
    this.tags[who]?.push(made.checkpoint?.id ?? '');
  }

  async checkpoints(): Promise<void> {
    for (const who of this.sessions.keys()) await this.checkpoint(who);
  }

  /** Reports all unreported writes, in a random order. */
  async report(): Promise<void> {
    const waiting = this.#unreported;
    this.#unreported = [];
    while (waiting.length > 0) await waiting.splice(this.random.below(waiting.length), 1)[0]?.();
  }

  read(name: string): string[] {
    try {
      return readFileSync(join(this.root, name), 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  }

  /**
   * Changes or makes a file, but never changes lines of other authors. Deletes a file only if the author wrote all its
   * lines.
   */
  edit(who: number | 'user', name: string): void {
    const lines = this.read(name);
    const own = `by ${who} `;
    if (lines.every((line) => line.startsWith(own)) && lines.length > 0 && this.random.below(3) === 0) {
      rmSync(join(this.root, name));
      return;
    }
    const line = (): string => `${own}${(this.#written += 1)}`;
    if (lines.length === 0) lines.push(line(), line(), line());
    for (let n = this.random.below(3); n >= 0; n -= 1) {
      const at = this.random.below(lines.length);
      if (/^base |^by /.test(lines[at] ?? '') && !this.isOthers(lines[at] ?? '', who)) lines[at] = line();
      else lines.splice(at, 0, line());
    }
    writeFileSync(join(this.root, name), lines.map((each) => `${each}\n`).join(''));
  }

  isOthers(line: string, who: number | 'user'): boolean {
    return line.startsWith('by ') && !line.startsWith(`by ${who} `);
  }

  async write(who: number): Promise<void> {
    const name = [...names, 'new.txt', `of ${who}.txt`][this.random.below(names.length + 2)] ?? '';
    this.edit(who, name);
    const params = { session: this.sessions[who] ?? '', path: name };
    this.#unreported.push(async () => void (await this.daemonOf(who).call('ledger/recordWrite', params)));
    if (this.random.below(3) > 0) await this.report();
  }

  async step(): Promise<void> {
    const who = this.random.below(3);
    const choice = this.random.below(10);
    if (choice < 6) await this.write(who);
    else if (choice < 8) await this.checkpoint(who);
    else if (choice === 8) {
      // Each edit of the user is captured in a checkpoint before an agent writes again.
      await this.report();
      this.edit('user', names[this.random.below(names.length)] ?? '');
      await this.checkpoints();
    } else if (who === 1) {
      await this.report();
      await this.daemons[0].call('session/close', { session: this.sessions[1] ?? '' });
      for (let n = this.random.below(3); n > 0; n -= 1) await this.write(0);
      await this.report();
      await this.open(1);
    }
  }
}

export interface TriedAuthors {
  reverts: number;
  /** The number of reverted lines of the author. */
  taken: number;
  left: number;
  /** The number of files with several authors in which the revert changed only the author's lines. */
  partial: number;
}

/**
 * Makes a history, and reverts each author in each session. All lines of the other authors must stay, and undo must
 * reverse each revert.
 */
export async function tryAuthors(
  daemons: readonly [InProcessDaemon, InProcessDaemon],
  random: Random,
  tried: TriedAuthors,
): Promise<void> {
  const history = new History(daemons, random);
  for (const who of [0, 1, 2]) await history.open(who);
  await history.checkpoints();
  for (let n = 12 + random.below(12); n > 0; n -= 1) await history.step();
  await history.report();
  if (random.below(2) === 0) await history.checkpoints();
  const all = [...names, 'new.txt', 'of 0.txt', 'of 1.txt', 'of 2.txt'];
  for (const author of [0, 1, 2]) {
    const asked = random.below(3);
    const tags = history.tags[asked] ?? [];
    const from = tags[random.below(Math.min(2, tags.length))] ?? '';
    const session = history.sessions[asked] ?? '';
    const daemon = history.daemonOf(asked);
    const before = manifest(history.root);
    const lines = all.map((name) => history.read(name));
    const params = { session, from, author: history.sessions[author] ?? '', confirm: true };
    const known = await daemon.call('checkpoint/revert', params).catch((error: { kind?: string }) => {
      if (error.kind !== 'UnknownPart') throw error;
    });
    if (known === undefined) continue;
    tried.reverts += 1;
    tried.left += known.skipped.length;
    tried.partial += known.paths.filter(({ partial }) => partial === true).length;
    for (const [i, name] of all.entries()) {
      const after = new Set(history.read(name));
      const gone = (lines[i] ?? []).filter((line) => !after.has(line));
      tried.taken += gone.length;
      assert.equal(
        gone.filter((line) => !line.startsWith(`by ${author} `)),
        [],
        `${name}: lines of others than ${author} were taken back in session ${asked}`,
      );
    }
    await daemon.call('checkpoint/undo', { session });
    assert.equal(manifest(history.root), before);
  }
  for (const who of [0, 1, 2])
    await history.daemonOf(who).call('session/close', { session: history.sessions[who] ?? '' });
}
