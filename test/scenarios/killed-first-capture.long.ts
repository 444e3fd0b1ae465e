// Kills a daemon at random times of a first capture that reads files in a second thread, while this test edits files.
// The torture cannot reach that thread, because no thread starts where a fault is installed. After each kill, a new
// daemon opens the session. KILLS=… sets the number of kills for each strategy (4). SEED=… repeats the drawn times
// and edits.
import { setTimeout } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../scripts/torture/random.ts';
import { type DaemonRig, fsck, withRig } from '../support/daemon-rig.ts';
import { seed } from '../support/property.ts';

const kills = Number(process.env['KILLS'] ?? 4);
/** From 2,000 files on, a capture starts the thread (threaded-reading.test.ts). */
const fileCount = 3000;

/** The tree as the test writes it, with every content that a file has had since the session was opened. */
class EditedTree {
  readonly #rig: DaemonRig;
  readonly #contents = new Map<string, string[]>();
  #edits = 0;

  constructor(rig: DaemonRig) {
    this.#rig = rig;
    for (const [path, content] of Object.entries(rig.tree())) this.#contents.set(path, [content]);
    for (let i = 0; i < fileCount; i += 1) this.#write(`d${i % 60}/f${i}`);
  }

  #write(path: string): void {
    this.#edits += 1;
    // Line after line names the edit, so that a mixture of two edits equals neither. A content fits in one page of
    // memory, so that a reader sees all of it or nothing.
    const content = `${this.#edits} ${path}\n`.repeat(1 + (this.#edits % 150));
    assert.ok(content.length <= 4096);
    this.#rig.write(path, content);
    this.#contents.set(path, [...(this.#contents.get(path) ?? []), content]);
  }

  edit(random: Random): void {
    this.#write(random.pick([...this.#contents.keys()]));
  }

  /** Forgets the former contents. */
  forgetEarlier(): void {
    for (const [path, contents] of this.#contents) this.#contents.set(path, contents.slice(-1));
  }

  /**
   * Checks that each file has a content that it had since {@link forgetEarlier}. A file that was written again is empty
   * for a moment.
   */
  look(): void {
    const found = this.#rig.tree();
    assert.equal(Object.keys(found), [...this.#contents.keys()].sort());
    for (const [path, content] of Object.entries(found)) {
      const contents = this.#contents.get(path) ?? [];
      assert.ok(
        contents.includes(content) || (content === '' && contents.length > 1),
        `${path} was never ${content.slice(0, 80)}…`,
      );
    }
  }
}

/** Opens a session for the first time. Kills the daemon after `killAfterMs`, and edits files until then. */
async function killedOpening(
  rig: DaemonRig,
  params: Parameters<DaemonRig['open']>[1],
  killAfterMs: number,
  editNext: () => void,
): Promise<'killed' | 'opened'> {
  const client = await rig.start();
  const started = performance.now();
  let end: 'killed' | 'opened' = 'killed';
  const opening = rig.open(client, params).then(
    () => (end = 'opened'),
    () => 'killed', // the kill ends the connection
  );
  while (performance.now() - started < killAfterMs) {
    editNext();
    await setTimeout(1);
  }
  await client.kill();
  await opening;
  return end;
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: after a kill in a first capture with two threads, the session opens and loses no content (seed ${seed})`, () =>
    withRig(async (rig) => {
      const tree = new EditedTree(rig);
      const before = performance.now();
      const first = await rig.opened({ strategy, conversationId: 'unharmed' });
      const openingMs = performance.now() - before;
      await first.client.request('session/close', { session: first.session });
      await first.client.close();

      const random = new Random(seed);
      const ends: string[] = [];
      for (let round = 0; round < kills; round += 1) {
        tree.forgetEarlier();
        const params = { strategy, conversationId: `round ${round}` };
        ends.push(await killedOpening(rig, params, random.below(openingMs), () => tree.edit(random)));

        const opened = rig.tree();
        const { client, session, resumed } = await rig.opened(params);
        for (let i = 0; i < 100; i += 1) tree.edit(random);
        await client.request('checkpoint/create', { session, kind: 'turn' });
        const edited = rig.tree();
        await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
        // If the killed daemon had stored the base, the edits changed files while it was captured.
        if (resumed) tree.look();
        else assert.equal(rig.tree(), opened);
        await client.request('checkpoint/restore', { session, tag: '1', mode: 'hard', confirm: true });
        assert.equal(rig.tree(), edited);
        const { ok, problems } = await client.request('store/verify', { session });
        assert.ok(ok, JSON.stringify(problems));
        if (strategy === 'shadow') assert.is(fsck(rig.shadow(session)), '');
        await client.request('session/delete', { session });
        assert.is((await client.close()).code, 0);
      }
      console.log(`note: ${strategy}: opening ${Math.round(openingMs)} ms; ${ends.join(' ')}`);
      assert.ok(ends.includes('killed'), 'no kill came before the answer');
    }));

test.run();
