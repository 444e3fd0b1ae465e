// Transactions of refs whose note meets an error of the system: one that is done is done, and its note never undoes what
// comes after it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { RefStore } from '../../../src/git/refs/ref-store.ts';
import { git } from '../../support/git-oracle.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

interface Rig {
  readonly refs: RefStore;
  readonly again: () => Promise<RefStore>;
  readonly objects: readonly [string, string];
  readonly left: () => string[];
}

async function withRefs(body: (rig: Rig) => Promise<void>): Promise<void> {
  const gitDir = join(temporaryDirectory('refs'), 'repository.git');
  git('/', 'init', '-q', '--bare', gitDir);
  const put = (text: string): string =>
    git(gitDir, 'commit-tree', '-m', text, '4b825dc642cb6eb9a060e54bf8d69288fbee4904').trim();
  const opened: RefStore[] = [];
  const again = async (): Promise<RefStore> => {
    const intentFile = join(gitDir, 'intent.json');
    const store = new RefStore({ place: { gitDir }, prefixes: ['refs/own/'], intentFile, durable: false });
    opened.push(store);
    await store.open();
    return store;
  };
  const left = (): string[] => readdirSync(gitDir).filter((name) => name.startsWith('intent'));
  try {
    await body({ refs: await again(), again, objects: [put('one'), put('two')], left });
  } finally {
    await Promise.all(opened.map((store) => store.close()));
  }
}

/** Fails every call on the note. */
function failing(call: string): void {
  installFault((made, target) => {
    if (made === call && target.includes('intent.json'))
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });
}

test('refs that moved have moved, also where the note of it cannot be removed, and it undoes nothing later', () =>
  withRefs(async ({ refs, again, objects: [one, two], left }) => {
    failing('rm');
    try {
      await refs.commit([
        { ref: 'refs/own/a', to: one },
        { ref: 'refs/own/b', to: one },
      ]);
      assert.is(refs.refs.get('refs/own/a'), one);
      assert.equal(left(), ['intent.json']);
      const refused = await refs.commit([{ ref: 'refs/own/a', to: two }]).catch((error: unknown) => error);
      assert.instance(refused, Error);
      assert.is(
        refs.refs.get('refs/own/a'),
        one,
        'nothing comes after a note that the next open would follow',
      );
    } finally {
      installFault(undefined);
    }
    await refs.commit([{ ref: 'refs/own/a', to: two }]);
    assert.equal(left(), []);
    assert.is((await again()).refs.get('refs/own/a'), two);
  }));

test('refs whose note cannot be written do not move, and no later open moves them', () =>
  withRefs(async ({ refs, again, objects: [one], left }) => {
    failing('open');
    try {
      const changes = ['refs/own/a', 'refs/own/b'].map((ref) => ({ ref, to: one }));
      assert.instance(await refs.commit(changes).catch((error: unknown) => error), Error);
    } finally {
      installFault(undefined);
    }
    assert.equal(left(), []);
    assert.is((await again()).refs.size, 0);
  }));

test.run();
