// A restore keeps out of git directories that are in the work tree, whatever they are called.
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { withoutGitDirectories } from '../../src/restore/facts.ts';
import type { Entry } from '../../src/tree/entry.ts';
import { AnchoredFiles } from '../../src/work-tree/anchored-files.ts';
import { makeDirectory, path, remove } from '../support/trees/model-tree.ts';

const entry = (name: string): Entry => ({ path: path(name), mode: '100644', blob: '1'.repeat(40) as BlobId });

test('a write refused for a git directory leaves the other spelling of another write to be removed', async () => {
  const root = makeDirectory();
  for (const name of ['objects', 'refs']) mkdirSync(`${root}/vendor/${name}`, { recursive: true });
  writeFileSync(`${root}/vendor/HEAD`, '');
  const tree = new AnchoredFiles(root);
  try {
    const plan = await withoutGitDirectories(
      tree,
      {
        writes: [
          { path: path('A'), after: entry('A'), expected: entry('A'), respells: path('a'), displaces: [] },
          { path: path('vendor/x'), after: entry('vendor/x'), displaces: [] },
        ],
        deletes: [{ path: path('a'), expected: entry('a'), because: 'inTheWay' }],
        permissionChanges: [],
        directories: [],
        failed: [],
        conflicts: [],
        skipped: [],
      },
      { entries: new Map() },
    );
    assert.equal(plan.failed, [{ path: path('vendor/x'), reason: 'nestedGitDirectory' }]);
    assert.equal(
      plan.deletes.map((each) => each.path),
      [path('a')],
    );
  } finally {
    tree.close();
    remove(root);
  }
});

test.run();
