// A program for tests in which several processes share a database. The program publishes checkpoints of its own session
// and reads them back. Now and then the program removes some of its checkpoints and sweeps the database. At the end the
// program prints what the database must contain.
//
// node sqlite-publisher.js STORAGE SESSION COUNT [SEED]
import { createHash } from 'node:crypto';
import type { CheckpointId } from '../../../src/base/ids.ts';
import { openSqlite } from '../stores/sqlite.ts';
import { checkpoint, contentsOf, file, type PlainFile, plain, shown } from '../trees/snapshots.ts';

const [storage = '', session = '', count = '0', seed = '0'] = process.argv.slice(2);
let state = Number(seed) + 1;
/** The random generator of Park and Miller. The same seed gives the same run. */
const random = (below: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};

const store = await openSqlite(storage, session);
const tree = new Map<string, PlainFile>(
  plain({ owner: session, 'shared/license': 'the same in all\n'.repeat(50) }),
);
let parent: CheckpointId | undefined;
let kept: { readonly id: CheckpointId; readonly digest: string }[] = [];
for (let seq = 1; seq <= Number(count); seq += 1) {
  // Half of the contents are equal in all sessions, so the database shares them.
  const text =
    random(2) === 0 ? `common ${random(50)}\n`.repeat(100) : `${session} ${seq}\n`.repeat(1 + random(300));
  tree.set(`d${random(5)}/f${random(20)}`, file(text));
  const { id, snapshot } = await checkpoint(store, tree, {
    seq,
    tag: `${seq}`,
    message: `${session} ${seq}`,
    ...(parent === undefined ? {} : { parent }),
  });
  parent = id;
  const digest = createHash('sha256').update(shown(tree).join('\n'), 'latin1').digest('hex');
  kept.push({ id, digest });
  if (random(40) === 0) {
    const read = shown(await contentsOf(store, snapshot)).join('\n');
    if (createHash('sha256').update(read, 'latin1').digest('hex') !== digest)
      throw new Error(`${id} is mixed up`);
  }
  if (random(30) === 0 && kept.length > 3) {
    const gone = kept[random(kept.length - 1)];
    await store.remove(gone === undefined ? [] : [gone.id]);
    kept = kept.filter((one) => one !== gone);
  }
  if (random(60) === 0) await store.sweep();
  if (process.send !== undefined) process.send({ seq, id });
}
process.stdout.write(JSON.stringify(kept));
await store.close();
if (process.connected) process.disconnect();
