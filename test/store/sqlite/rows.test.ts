// Tests that the rows stay correct after any publications and removals. Checkpoints can be rebuilt from the rows alone,
// without the stored directories.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId } from '../../../src/base/ids.ts';
import { skippedMatcher } from '../../../src/capture/scan-result.ts';
import type { SkippedPath } from '../../../src/capture/snapshot-sink.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { sql, sqliteAfterwards, withSqlite } from '../../support/stores/sqlite.ts';
import { checkpoint, file, type PlainFile, type PlainTree, trees } from '../../support/trees/snapshots.ts';
import { expected, rebuilt } from './rows-rig.ts';

interface Living {
  readonly id: CheckpointId;
  readonly tree: PlainTree;
  readonly skipped: readonly SkippedPath[];
}

/** Returns the tree after a capture for which some paths, or one directory, were unreadable. */
function withUnseen(
  { tree, skipChoices }: { readonly tree: PlainTree; readonly skipChoices: readonly number[] },
  parent: Living | undefined,
): Pick<Living, 'tree' | 'skipped'> {
  const held = [...(parent?.tree.keys() ?? []), ...(parent?.skipped.map(({ path }) => path) ?? [])];
  const skipped = skipChoices.flatMap((choice): SkippedPath[] => {
    const path = held[choice % Math.max(1, held.length)];
    if (path === undefined || [...tree.keys()].some((file) => path.startsWith(`${file}/`))) return [];
    const shown = choice % 2 === 0 ? path : path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || path;
    return [{ path: shown as TreePath, reason: 'unreadable' }];
  });
  const isSkipped = skippedMatcher(skipped);
  return { tree: new Map([...tree].filter(([path]) => !isSkipped(path as TreePath))), skipped };
}

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        tree: trees,
        parent: fc.nat(),
        skipChoices: fc.array(fc.nat(), { maxLength: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ remove: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.constant('sweep' as const) },
  ),
  { minLength: 1, maxLength: 14 },
);

test('after any publications, removals and cleanups, each checkpoint can be read from its rows alone (O6, O19, O26, O30)', () =>
  withSqlite(async ({ directory, store }) => {
    await checkPropertyAsync(
      steps,
      async (list) => {
        await store.remove((await store.checkpoints()).map(({ record }) => record.id));
        const living: Living[] = [];
        let seq = 0;
        for (const step of list) {
          if (step === 'sweep') await store.sweep();
          else if ('remove' in step) {
            const gone = new Set(
              step.remove.map((choice) => living[choice % Math.max(1, living.length)]?.id),
            );
            await store.remove([...gone].flatMap((id) => id ?? []));
            living.splice(0, living.length, ...living.filter(({ id }) => !gone.has(id)));
          } else {
            const parent = living[step.parent % (living.length + 1)];
            seq += 1;
            const { tree, skipped } = withUnseen(step, parent);
            const { id } = await checkpoint(store, tree, { seq, skipped, parent: parent?.id });
            living.push({ id, tree, skipped });
          }
        }
        for (const { id, tree, skipped } of living) {
          assert.equal(rebuilt(directory, id, skipped), expected(store, tree));
        }
        assert.equal(await store.verify(), []);
        assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[living.length]]);
        sqliteAfterwards(directory);
      },
      50,
    );
  }));

test('removing checkpoints with very many rows leaves the contents of all other checkpoints correct (O30)', () =>
  withSqlite(async ({ directory, store }) => {
    const many = (count: number, text: string): PlainTree =>
      new Map(
        Array.from({ length: count }, (_, i): [string, PlainFile] => [
          `d${i % 9}/f${i}`,
          file(`${text} ${i}`),
        ]),
      );
    const states = [many(900, 'a'), many(900, 'b'), many(1100, 'b'), many(500, 'c'), many(900, 'a')];
    const made: CheckpointId[] = [];
    for (const [i, tree] of states.entries()) {
      const parent = made[i === 4 ? 0 : i - 1];
      made.push(
        (await checkpoint(store, tree, { seq: i + 1, ...(parent === undefined ? {} : { parent }) })).id,
      );
    }
    const still = (...left: number[]): void => {
      for (const i of left)
        assert.equal(
          rebuilt(directory, made[i] ?? ('' as CheckpointId)),
          expected(store, states[i] ?? new Map()),
        );
      assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[left.length]]);
      sqliteAfterwards(directory);
    };
    still(0, 1, 2, 3, 4);
    await store.remove([made[1] ?? ('' as CheckpointId)]);
    still(0, 2, 3, 4);
    await store.remove([made[0] ?? ('' as CheckpointId)]); // now the children 2 and 4 need all their rows
    still(2, 3, 4);
    await store.remove([made[2] ?? ('' as CheckpointId), made[4] ?? ('' as CheckpointId)]);
    still(3);
  }));

test.run();
