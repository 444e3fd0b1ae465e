// In a repository that only the daemon uses, the daemon makes new refs itself, in the same way as git.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { RefStore } from '../../../src/git/refs/ref-store.ts';
import { git, inTemporary } from '../../support/git-oracle.ts';

const refsOf = (gitDir: string): RefStore =>
  new RefStore({
    place: { gitDir },
    prefixes: ['refs/own/'],
    directories: ['refs/own/'],
    intentFile: join(gitDir, 'intent.json'),
    durable: false,
    syncsFiles: false,
    isAlone: true,
  });

interface Rig {
  readonly gitDir: string;
  readonly refs: RefStore;
  readonly commits: string[];
}

const withRefs = (body: (rig: Rig) => Promise<void>): Promise<void> =>
  inTemporary(async (gitDir) => {
    git(gitDir, 'init', '-q', '--bare');
    const put = (text: string): string =>
      git(gitDir, 'commit-tree', '-m', text, '4b825dc642cb6eb9a060e54bf8d69288fbee4904').trim();
    mkdirSync(join(gitDir, 'refs/own'));
    const refs = refsOf(gitDir);
    try {
      await refs.open();
      await body({ gitDir, refs, commits: [put('one'), put('two')] });
    } finally {
      installFault(undefined);
      await refs.close();
    }
  });

const listed = (gitDir: string): string =>
  git(gitDir, 'for-each-ref', '--format=%(refname) %(objectname)').trim();

test('the store itself makes new refs, but lets git move existing refs', () =>
  withRefs(async ({ gitDir, refs, commits: [one = '', two = ''] }) => {
    await refs.commit([
      { ref: 'refs/own/a', to: one },
      { ref: 'refs/own/b', to: one },
    ]);
    assert.is(refs.pid, undefined, 'no git was started');
    assert.is(listed(gitDir), `refs/own/a ${one}\nrefs/own/b ${one}`);
    assert.not(existsSync(join(gitDir, 'intent.json')));
    git(gitDir, 'pack-refs', '--all');
    await refs.commit([
      { ref: 'refs/own/a', to: two },
      { ref: 'refs/own/c', to: two },
    ]);
    assert.type(refs.pid, 'number');
    assert.is(listed(gitDir), `refs/own/a ${two}\nrefs/own/b ${one}\nrefs/own/c ${two}`);
  }));

test('if another program makes the same ref at the same moment, the change of refs fails and keeps the ref of the other program', () =>
  withRefs(async ({ gitDir, refs, commits: [one = '', two = ''] }) => {
    installFault((call, target) => {
      if (call !== 'exists' || !target.endsWith('/refs/own/b')) return;
      installFault(undefined);
      git(gitDir, 'update-ref', 'refs/own/b', two);
    });
    const made = await refs
      .commit([
        { ref: 'refs/own/a', to: one },
        { ref: 'refs/own/b', to: one },
      ])
      .catch((error: { kind?: string }) => error.kind);
    assert.is(made, 'StoreCorrupt');
    assert.is(listed(gitDir), `refs/own/b ${two}`, 'and nothing else was done');
  }));

test('if the daemon is killed between making two refs, the next opening makes both refs', () =>
  withRefs(async ({ gitDir, refs, commits: [one = ''] }) => {
    let renames = 0;
    installFault((call, target) => {
      if (call === 'rename' && target.includes('/refs/own/')) renames += 1;
      if (renames === 2) throw new Error('killed');
    });
    await refs
      .commit([
        { ref: 'refs/own/a', to: one },
        { ref: 'refs/own/b', to: one },
      ])
      .then(
        () => assert.unreachable('it was killed'),
        () => undefined,
      );
    installFault(undefined);
    assert.is(listed(gitDir), `refs/own/a ${one}`);
    assert.ok(readFileSync(join(gitDir, 'intent.json'), 'utf8').includes('refs/own/b'));
    const next = refsOf(gitDir);
    await next.open();
    assert.is(listed(gitDir), `refs/own/a ${one}\nrefs/own/b ${one}`);
    await next.close();
  }));

test('if a call fails while the store makes a ref, git makes the ref instead, and no file remains', () =>
  withRefs(async ({ gitDir, refs, commits: [one = ''] }) => {
    for (const call of ['open', 'writeFile', 'close', 'rename']) {
      let failed = 0;
      installFault((made, target) => {
        const isRef = made === 'writeFile' || made === 'close' || target.endsWith('.lock');
        if (failed > 0 || made !== call || !isRef) return;
        failed += 1;
        throw Object.assign(new Error('injected'), { code: 'EMFILE' });
      });
      await refs.commit([{ ref: `refs/own/${call}`, to: one }]);
      installFault(undefined);
      assert.is(failed, 1, call);
      assert.is(git(gitDir, 'rev-parse', `refs/own/${call}`).trim(), one);
      assert.not(existsSync(join(gitDir, `refs/own/${call}.lock`)));
    }
  }));

test.run();
