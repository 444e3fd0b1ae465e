// What is written into a file that stood ready is what would have been written without one, whatever fails on the way.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { objectId, writeLoose } from '../../../src/git/objects/object.ts';
import { SpareFiles } from '../../../src/git/objects/spare-files.ts';
import { RefStore } from '../../../src/git/refs/ref-store.ts';
import { git, inTemporary } from '../../support/git-oracle.ts';
import { until } from '../../support/until.ts';

interface Rig {
  readonly gitDir: string;
  readonly spool: string;
  readonly spares: SpareFiles;
  /** Resolves when a file stands ready. */
  readonly filled: () => Promise<void>;
}

const withSpares = (body: (rig: Rig) => Promise<void>): Promise<void> =>
  inTemporary(async (gitDir) => {
    git(gitDir, 'init', '-q', '--bare');
    const spool = join(gitDir, 'spool');
    mkdirSync(spool);
    const spares = new SpareFiles(spool);
    const filled = async (): Promise<void> => {
      assert.is(spares.put(join(spool, 'missing', 'file'), ''), false);
      await until('twelve files stand ready', () => Promise.resolve(readdirSync(spool).length === 12));
    };
    try {
      await body({ gitDir, spool, spares, filled });
    } finally {
      installFault(undefined);
      spares.close();
    }
  });

const objectOf = (text: string): { type: 'blob'; id: string; bytes: Buffer } => {
  const bytes = Buffer.from(text);
  return { type: 'blob', id: objectId('blob', bytes), bytes };
};

test('an object that takes the place of a spare file is the object, in a directory that is made for it', () =>
  withSpares(async ({ gitDir, spool, spares, filled }) => {
    await filled();
    const [before] = [new Set(readdirSync(spool))];
    const object = objectOf('content\n');
    await writeLoose(join(gitDir, 'objects'), object, false, spares);
    assert.is(readdirSync(spool).filter((name) => before.has(name)).length, 11, 'one is used');
    const file = join(gitDir, 'objects', object.id.slice(0, 2), object.id.slice(2));
    assert.is(statSync(file).mode & 0o777, 0o400);
    assert.is(git(gitDir, 'cat-file', 'blob', object.id), 'content\n');
    assert.is(git(gitDir, 'fsck', '--strict', '--full', '--no-dangling').trim(), '');
  }));

test('when any call on a spare file fails, the object is stored without one and nothing stays', () =>
  withSpares(async ({ gitDir, spool, spares, filled }) => {
    for (const [at, call] of ['writeFile', 'close', 'rename'].entries()) {
      await filled();
      const object = objectOf(`content ${at}\n`);
      let failed = 0;
      installFault((made, target) => {
        if (failed > 0 || made !== call || (made === 'rename' && !target.includes('spare-'))) return;
        failed += 1;
        throw Object.assign(new Error('injected'), { code: 'ENOSPC' });
      });
      await writeLoose(join(gitDir, 'objects'), object, false, spares);
      installFault(undefined);
      assert.is(failed, 1, call);
      assert.is(git(gitDir, 'cat-file', 'blob', object.id), `content ${at}\n`);
    }
    spares.close();
    assert.equal(readdirSync(spool), []);
    assert.is(git(gitDir, 'fsck', '--strict', '--full', '--no-dangling').trim(), '');
  }));

test('spare files that somebody removed are no loss', () =>
  withSpares(async ({ gitDir, spool, spares, filled }) => {
    await filled();
    for (const name of readdirSync(spool)) rmSync(join(spool, name));
    const object = objectOf('content\n');
    await writeLoose(join(gitDir, 'objects'), object, false, spares);
    assert.is(git(gitDir, 'cat-file', 'blob', object.id), 'content\n');
  }));

const refsOf = (gitDir: string, spares: SpareFiles): RefStore =>
  new RefStore({
    place: { gitDir },
    prefixes: ['refs/own/'],
    directories: ['refs/own/'],
    intentFile: join(gitDir, 'intent.json'),
    durable: false,
    syncsFiles: false,
    spares,
  });

async function withRefs(
  body: (rig: Rig & { refs: RefStore; commits: string[] }) => Promise<void>,
): Promise<void> {
  await withSpares(async (rig) => {
    const { gitDir, spares } = rig;
    const put = (text: string): string =>
      git(gitDir, 'commit-tree', '-m', text, '4b825dc642cb6eb9a060e54bf8d69288fbee4904').trim();
    mkdirSync(join(gitDir, 'refs/own'));
    const refs = refsOf(gitDir, spares);
    try {
      await refs.open();
      await rig.filled();
      await body({ ...rig, refs, commits: [put('one'), put('two')] });
    } finally {
      installFault(undefined);
      await refs.close();
    }
  });
}

const listed = (gitDir: string): string =>
  git(gitDir, 'for-each-ref', '--format=%(refname) %(objectname)').trim();

test('new refs are made without git, which reads them; one that is there is moved by git', () =>
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

test('a ref that another program made in the same moment is neither replaced nor told as ours', () =>
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

test('a kill between two new refs leaves a note, and the next open makes both', () =>
  withRefs(async ({ gitDir, spares, refs, commits: [one = ''] }) => {
    let renames = 0;
    installFault((call, target) => {
      if (call === 'rename' && target.includes('spare-')) renames += 1;
      if (renames === 3) throw new Error('killed');
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
    const next = refsOf(gitDir, spares);
    await next.open();
    assert.is(listed(gitDir), `refs/own/a ${one}\nrefs/own/b ${one}`);
    await next.close();
  }));

test.run();
