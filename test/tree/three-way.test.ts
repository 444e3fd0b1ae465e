// Tests that only a few contents are merged at a time. The tests in test/commands/ compare the results of merges with
// git.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { type MergeRequest, mergeTrees } from '../../src/tree/three-way.ts';
import type { Entry } from '../../src/tree/tree.ts';
import { fromText } from '../../src/tree/tree-path.ts';

const entry = (path: string, blob: string): Entry => ({
  path: fromText(path),
  mode: '100644',
  blob: blob as BlobId,
});
const names = Array.from({ length: 12 }, (_, n) => `file ${String(n).padStart(2, '0')}`);
const side = (after: string): MergeRequest['ours'] => ({
  changes: names.map((name) => ({
    path: fromText(name),
    before: entry(name, 'base'),
    after: entry(name, `${after} of ${name}`),
  })),
  renames: new Map(),
});

test('contents are merged four at a time, and the results have the order of the paths', async () => {
  let [active, most] = [0, 0];
  const { changes, paths } = await mergeTrees({
    tree: { entries: new Map() },
    ours: side('ours'),
    theirs: side('theirs'),
    contents: async (_base, _ours, _theirs, path) => {
      most = Math.max(most, (active += 1));
      // The merges of the first paths take the longest time.
      for (let n = names.length - names.indexOf(path); n > 0; n -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      active -= 1;
      return { kind: 'merged', blob: `merged ${path}` as BlobId, isClean: true };
    },
  });
  assert.is(most, 4);
  assert.equal(
    paths.map(({ path, outcome }) => [path, outcome]),
    names.map((name) => [name, 'clean']),
  );
  assert.equal(
    changes.map(({ after }) => after?.blob),
    names.map((name) => `merged ${name}`),
  );
});

test('after a failed merge, no further merge begins, and the failure is reported when all running merges have ended', async () => {
  let [active, begun] = [0, 0];
  const merge = mergeTrees({
    tree: { entries: new Map() },
    ours: side('ours'),
    theirs: side('theirs'),
    contents: async (_base, _ours, _theirs, path) => {
      begun += 1;
      active += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (path === names[0]) {
        active -= 1;
        throw new Error('no git');
      }
      await new Promise((resolve) => setImmediate(resolve));
      active -= 1;
      return { kind: 'binary' };
    },
  });
  const error = await merge.then(
    () => undefined,
    (failed: unknown) => failed,
  );
  assert.match(String(error), /no git/);
  assert.equal([active, begun], [0, 4]);
});

test.run();
