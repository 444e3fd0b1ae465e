// Tests changes of several refs at once. A note records such a change, so that a later open can finish or undo the
// change. If writing or removing the note fails, finished changes are kept. The note never undoes a later change.
import { appendFileSync, copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointdError } from '../../../src/base/errors.ts';
import { installFault } from '../../../src/base/seam.ts';
import type { RefChange } from '../../../src/git/refs/ref-files.ts';
import { RefStore } from '../../../src/git/refs/ref-store.ts';
import { withDyingGit } from '../../support/dying-git.ts';
import { git } from '../../support/git-oracle.ts';
import { kindOf } from '../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

interface Rig {
  readonly refs: RefStore;
  readonly again: (durable?: boolean, syncsFiles?: boolean) => Promise<RefStore>;
  readonly objects: readonly [string, string];
  readonly left: () => string[];
  readonly gitDir: string;
}

async function withRefs(body: (rig: Rig) => Promise<void>): Promise<void> {
  const gitDir = join(temporaryDirectory('refs'), 'repository.git');
  git('/', 'init', '-q', '--bare', gitDir);
  const put = (text: string): string =>
    git(gitDir, 'commit-tree', '-m', text, '4b825dc642cb6eb9a060e54bf8d69288fbee4904').trim();
  const opened: RefStore[] = [];
  const again = async (durable = false, syncsFiles = false): Promise<RefStore> => {
    const intentFile = join(gitDir, 'intent.json');
    const store = new RefStore({
      place: { gitDir },
      prefixes: ['refs/own/'],
      directories: ['refs/own/'],
      intentFile,
      durable,
      syncsFiles,
    });
    opened.push(store);
    await store.open();
    return store;
  };
  const left = (): string[] => readdirSync(gitDir).filter((name) => name.startsWith('intent'));
  try {
    await body({ refs: await again(), again, objects: [put('one'), put('two')], left, gitDir });
  } finally {
    await Promise.all(opened.map((store) => store.close()));
  }
}

/** Lets each call of one kind fail if the call uses the path of the note. */
function failing(call: string): void {
  installFault((made, target) => {
    if (made === call && target.includes('intent.json'))
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });
}

test('if the note about a move of refs cannot be removed, the move stays, and no later opening reverses the move', () =>
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

test('if the note about a move of refs cannot be written, the refs do not move, not even at a later opening', () =>
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

for (const count of [1, 2])
  test(`if ${count} moved refs cannot be synced, the store moves each ref back`, () =>
    withRefs(async ({ again, objects: [one, two], left }) => {
      const refs = await again(true);
      const all = (to: string | undefined): { ref: string; to: string | undefined }[] =>
        ['refs/own/a', 'refs/own/b'].slice(0, count).map((ref) => ({ ref, to }));
      const refuse = async (to: string | undefined): Promise<void> => {
        installFault((made, target) => {
          if (made === 'open' && /refs(\/own)?$/.test(target))
            throw Object.assign(new Error('EIO'), { code: 'EIO' });
        });
        try {
          const refused = await refs.commit(all(to)).catch((error: unknown) => error);
          assert.is((refused as NodeJS.ErrnoException).code, 'EIO');
        } finally {
          installFault(undefined);
        }
        assert.equal(left(), []);
      };
      await refuse(one);
      assert.is(refs.refs.size, 0);
      assert.is((await again()).refs.size, 0);
      await refs.commit(all(one));
      await refuse(two);
      await refuse(undefined);
      for (const store of [refs, await again()])
        assert.equal(
          [...store.refs.values()],
          Array.from({ length: count }, () => one),
        );
    }));

/** Makes a change of refs that the store can neither sync to the disk nor undo. */
async function leaveUndecided(refs: RefStore, changes: readonly RefChange[]): Promise<void> {
  installFault((made, target) => {
    if (made === 'open' && target.endsWith('refs/own')) {
      if (refs.pid !== undefined) process.kill(refs.pid, 'SIGKILL');
      installFault((call) => {
        if (call === 'spawn') throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' });
      });
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    }
  });
  try {
    const refused = await refs.commit(changes).catch((error: unknown) => error);
    assert.is((refused as CheckpointdError).effects, 'unknown');
  } finally {
    installFault(undefined);
  }
}

for (const count of [1, 2]) {
  const both = (to: string): RefChange[] =>
    ['refs/own/a', 'refs/own/b'].slice(0, count).map((ref) => ({ ref, to }));

  test(`if ${count} refs can neither be synced nor moved back, the error reports an unknown outcome`, () =>
    withRefs(async ({ again, objects: [one], left }) => {
      await leaveUndecided(await again(true), both(one));
      // The note says which state the next open must make: the state before the change, or the state after it.
      assert.is((await again()).refs.size, 0);
      assert.equal(left(), []);
    }));

  test(`if the move of ${count} refs could not be undone, the next change first moves the refs back`, () =>
    withRefs(async ({ again, objects: [one, two], left }) => {
      const refs = await again(true);
      await refs.commit(both(one));
      await leaveUndecided(refs, both(two));
      await refs.commit([{ ref: 'refs/own/c', to: two }]);
      assert.equal(left(), []);
      for (const store of [refs, await again()])
        assert.equal(
          [...store.refs.values()],
          [...both(one), { to: two }].map(({ to }) => to),
        );
    }));
}

test("if the user's git packs refs while the store syncs these refs, the store keeps the refs and syncs every directory", () =>
  withRefs(async ({ again, objects: [one], gitDir }) => {
    const refs = await again(true);
    installFault((made, target) => {
      if (made !== 'open' || !target.endsWith('refs/own/deep')) return;
      installFault(undefined);
      git(gitDir, 'pack-refs', '--all', '--prune');
    });
    try {
      await refs.commit([{ ref: 'refs/own/deep/a', to: one }]);
    } finally {
      installFault(undefined);
    }
    assert.is((await again()).refs.get('refs/own/deep/a'), one);
  }));

/** Makes two packed refs. Git cannot read the file `packed-refs` until `mend` is called. */
async function withUnreadableRefs(body: (rig: Rig, mend: () => void) => Promise<void>): Promise<void> {
  await withRefs(async (rig) => {
    const { refs, gitDir } = rig;
    await refs.commit(['refs/own/a', 'refs/own/b'].map((ref) => ({ ref, to: rig.objects[0] })));
    git(gitDir, 'pack-refs', '--all');
    const packed = join(gitDir, 'packed-refs');
    copyFileSync(packed, join(gitDir, 'whole'));
    installFault((_call, target) => {
      if (!target.includes('intent.json')) return;
      installFault(undefined);
      appendFileSync(packed, 'garbage\n');
    });
    const changes = ['refs/own/a', 'refs/own/b'].map((ref) => ({ ref, to: undefined }));
    const refused = await refs.commit(changes).catch((error: unknown) => error);
    installFault(undefined);
    assert.is((refused as CheckpointdError).effects, 'unknown');
    await body(rig, () => copyFileSync(join(gitDir, 'whole'), packed));
  });
}

test('a change that failed because refs were unreadable is not repeated later in the session', () =>
  withUnreadableRefs(async ({ refs, again, objects: [, two], left }, mend) => {
    assert.instance(
      await refs.commit([{ ref: 'refs/own/c', to: two }]).catch((error: unknown) => error),
      Error,
    );
    mend();
    await refs.commit([{ ref: 'refs/own/c', to: two }]);
    assert.equal(left(), []);
    assert.equal([...(await again()).refs.keys()], ['refs/own/a', 'refs/own/b', 'refs/own/c']);
  }));

test('a change that failed because refs were unreadable is not repeated by the next opening', () =>
  withUnreadableRefs(async ({ refs, again, left }, mend) => {
    mend();
    await refs.close();
    assert.equal(left(), []);
    assert.equal([...(await again()).refs.keys()], ['refs/own/a', 'refs/own/b']);
  }));

for (const names of [['packed-refs.lock', 'packed-refs.new'], ['packed-refs.new']])
  test(`a leftover ${names.join(' and ')} from a killed git blocks neither the daemon nor the user`, () =>
    withRefs(async ({ refs, again, objects: [one], gitDir }) => {
      await refs.commit(['refs/own/a', 'refs/own/b', 'refs/own/c'].map((ref) => ({ ref, to: one })));
      git(gitDir, 'pack-refs', '--all');
      for (const name of names) writeFileSync(join(gitDir, name), '# pack-refs');
      await refs.commit([{ ref: 'refs/own/a', to: undefined }]);
      assert.equal([...(await again()).refs.keys()], ['refs/own/b', 'refs/own/c']);
      // The next open finishes a removal that a kill interrupted.
      for (const name of names) writeFileSync(join(gitDir, name), '# pack-refs');
      writeFileSync(join(gitDir, 'intent.json'), '[{"ref":"refs/own/b","to":null}]');
      assert.equal([...(await again()).refs.keys()], ['refs/own/c']);
      git(gitDir, 'pack-refs', '--all');
    }));

test('even the removal of one ref writes a note; after a kill, the next opening recognises leftover locks by the note', () =>
  withRefs(async ({ refs, objects: [one], left }) => {
    await refs.commit([{ ref: 'refs/own/a', to: one }]);
    failing('open');
    try {
      const refused = await refs
        .commit([{ ref: 'refs/own/a', to: undefined }])
        .catch((error: unknown) => error);
      assert.is((refused as NodeJS.ErrnoException).code, 'EPERM');
    } finally {
      installFault(undefined);
    }
    assert.equal(left(), []);
    assert.is(refs.refs.get('refs/own/a'), one);
  }));

test('if git refuses both the creation of refs and the deletion of the same refs, the error says that nothing changed', () =>
  withRefs(async ({ refs, again, objects: [one], left, gitDir }) => {
    git(gitDir, 'update-ref', 'refs/own', one);
    const changes = ['refs/own/a', 'refs/own/b'].map((ref) => ({ ref, to: one }));
    const refused = (await refs.commit(changes).catch((error: unknown) => error)) as CheckpointdError;
    assert.equal([refused.kind, refused.effects], ['GitFailed', 'none']);
    assert.equal(left(), []);
    git(gitDir, 'update-ref', '-d', 'refs/own');
    await refs.commit(changes);
    assert.is((await again()).refs.size, 2);
  }));

test('if git is too old to sync refs, the store itself syncs changed refs, and syncs packed-refs after a deletion', () =>
  withRefs(async ({ again, objects: [one, two], gitDir }) => {
    const refs = await again(false, true);
    const calls: string[] = [];
    installFault((call, target) => {
      if (['open', 'fsync'].includes(call)) calls.push(`${call} ${target}`);
    });
    const synced = (name: string): boolean => {
      const at = calls.indexOf(`open ${join(gitDir, name)}`);
      return at >= 0 && calls[at + 1]?.startsWith('fsync ') === true;
    };
    try {
      await refs.commit([
        { ref: 'refs/own/a', to: one },
        { ref: 'refs/own/b', to: two },
      ]);
      assert.ok(synced('refs/own/a') && synced('refs/own/b'), calls.join('\n'));
      git(gitDir, 'pack-refs', '--all');
      await refs.commit([{ ref: 'refs/own/a', to: undefined }]);
      assert.ok(synced('packed-refs'), calls.join('\n'));
    } finally {
      installFault(undefined);
    }
  }));

test('if the store cannot sync a moved ref, the store moves the ref back', () =>
  withRefs(async ({ again, objects: [one], gitDir }) => {
    const refs = await again(false, true);
    installFault((call, target) => {
      if (call === 'open' && target === join(gitDir, 'refs/own/a'))
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    try {
      await refs.commit([{ ref: 'refs/own/a', to: one }]).then(
        () => assert.unreachable('the commit succeeded'),
        (error: NodeJS.ErrnoException) => assert.is(error.code, 'EIO'),
      );
    } finally {
      installFault(undefined);
    }
    assert.is(git(gitDir, 'for-each-ref'), '');
  }));

test('the store restores refs that another program removed, even if git crashes at the first attempt', () =>
  withRefs(async ({ refs, again, objects: [one, two], gitDir }) => {
    await refs.commit([{ ref: 'refs/own/a', to: one }]);
    await refs.close();
    const store = await again();
    git(gitDir, 'update-ref', '-d', 'refs/own/a');
    const dying = { directory: join(gitDir, 'bin'), command: 'update-ref', word: 'refs/own/a' };
    await withDyingGit(dying, async () => {
      assert.is(await kindOf(store.commit([{ ref: 'refs/own/b', to: two }])), 'GitFailed');
    });
    await store.commit([{ ref: 'refs/own/b', to: two }]);
    assert.equal(
      [...(await again()).refs],
      [
        ['refs/own/a', one],
        ['refs/own/b', two],
      ],
    );
  }));

test.run();
