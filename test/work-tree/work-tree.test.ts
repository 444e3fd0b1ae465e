import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import {
  openWorkTree,
  refuseStorageInside,
  requireRoot,
  storageWithin,
} from '../../src/work-tree/work-tree.ts';

const test = suite('work tree');

function withTop(body: (top: string) => void): void {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-tree-')));
  try {
    body(top);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function kindOf(step: () => unknown): string {
  try {
    step();
  } catch (error) {
    return error instanceof CheckpointdError ? error.kind : String(error);
  }
  return 'none';
}

test('a work tree is opened by its canonical path, and keeps its identity (O27)', () =>
  withTop((top) => {
    mkdirSync(join(top, 'w'));
    symlinkSync('w', join(top, 'link'));
    const tree = openWorkTree(join(top, 'w'));
    for (const spelling of ['link', 'link/', 'w/', 'w/../w', './w//']) {
      assert.equal(openWorkTree(`${top}/${spelling}`), tree);
    }
    renameSync(join(top, 'w'), join(top, 'moved'));
    assert.is(requireRoot(join(top, 'moved')), tree.identity);
    mkdirSync(join(top, 'w'));
    assert.is.not(requireRoot(join(top, 'w')), tree.identity);
  }));

test('opening a path that is missing, unreadable, a file or a loop of links gives the matching error kind (F112)', () =>
  withTop((top) => {
    writeFileSync(join(top, 'file'), '');
    symlinkSync('loop', join(top, 'loop'));
    assert.is(
      kindOf(() => openWorkTree(join(top, 'nothing'))),
      'WorkTreeMissing',
    );
    assert.is(
      kindOf(() => openWorkTree(join(top, 'file'))),
      'NotADirectory',
    );
    assert.is(
      kindOf(() => openWorkTree(join(top, 'file/below'))),
      'NotADirectory',
    );
    assert.is(
      kindOf(() => openWorkTree(join(top, 'loop'))),
      'WorkTreeUnreadable',
    );
    assert.is(
      kindOf(() => openWorkTree(`${top}/\0`)),
      'WorkTreeMissing',
    );
    mkdirSync(join(top, 'with\nnewline'));
    assert.is(
      kindOf(() => openWorkTree(join(top, 'with\nnewline'))),
      'none',
    );
    mkdirSync(join(top, 'closed'));
    chmodSync(join(top, 'closed'), 0);
    chmodSync(top, 0o755);
    if (process.getuid?.() === 0 && process.seteuid !== undefined) {
      process.seteuid(65534);
      try {
        assert.is(
          kindOf(() => openWorkTree(join(top, 'closed'))),
          'WorkTreeUnreadable',
        );
      } finally {
        process.seteuid(0);
      }
    } else
      assert.is(
        kindOf(() => openWorkTree(join(top, 'closed'))),
        'WorkTreeUnreadable',
      );
  }));

test('a protected directory is refused as work tree, however its path is written, unless the client allows it (R13)', () =>
  withTop((top) => {
    const home = join(top, 'home');
    for (const name of ['', 'Desktop', 'Documents', 'Downloads', 'project'])
      mkdirSync(join(home, name), { recursive: true });
    symlinkSync(home, join(top, 'innocent'));
    symlinkSync('Documents', join(home, 'docs'));
    const open = (path: string): string => kindOf(() => openWorkTree(path, { home }));
    for (const path of [
      home,
      `${home}/`,
      `${home}//`,
      join(top, 'innocent'),
      `${home}/project/..`,
      `${home}/docs`,
      `${home}/Downloads/`,
      '/',
      '//',
      '/..',
      join(home, 'Desktop'),
    ]) {
      assert.is(open(path), 'ProtectedWorkTree', path);
    }
    assert.is(open(join(home, 'project')), 'none');
    assert.is(openWorkTree(home, { home, allowProtected: true }).protectedPlace, 'the home directory');
    mkdirSync(join(home, 'project/.git/hooks'), { recursive: true });
    assert.is(open(join(home, 'project/.git')), 'ProtectedWorkTree');
    assert.is(
      kindOf(() => openWorkTree(join(home, 'project/.git/hooks'), { home, allowProtected: true })),
      'ProtectedWorkTree',
    );
  }));

test('a bare repository is refused as work tree, but a linked work tree inside it can be opened', () =>
  withTop((top) => {
    const bare = join(top, 'project');
    for (const name of ['objects', 'refs']) mkdirSync(join(bare, name), { recursive: true });
    assert.is(openWorkTree(bare).root, bare, 'not yet one');
    writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
    const kind = (): string => kindOf(() => openWorkTree(bare, { allowProtected: true }));
    assert.is(kind(), 'ProtectedWorkTree');
    mkdirSync(join(bare, 'main'));
    writeFileSync(join(bare, 'main/.git'), 'gitdir: ../worktrees/main\n');
    assert.is(openWorkTree(join(bare, 'main')).root, join(bare, 'main'));
    mkdirSync(join(bare, '.git'));
    assert.is(kind(), 'none', 'it has a git directory of its own');
  }));

test('a storage inside the work tree is refused, even if its path has a link or does not exist yet', () =>
  withTop((top) => {
    mkdirSync(join(top, 'w/a'), { recursive: true });
    mkdirSync(join(top, 'elsewhere'));
    symlinkSync('../elsewhere', join(top, 'w/out'));
    symlinkSync('w/a', join(top, 'in'));
    const tree = openWorkTree(join(top, 'w'));
    const refused = (path: string): string => kindOf(() => refuseStorageInside(tree, join(top, path)));
    for (const path of ['w', 'w/', 'w/a', 'w/a/not/yet', 'in', 'in/not/yet'])
      assert.is(refused(path), 'StorageInsideWorkTree', path);
    for (const path of ['elsewhere', 'not/yet', 'w/out', 'w/out/not/yet', 'w2'])
      assert.is(refused(path), 'none', path);
    assert.is(String(storageWithin(tree, join(top, 'w/.state/x'))), '.state/x');
    assert.is(String(storageWithin(tree, join(top, 'in/x'))), 'a/x');
  }));

/**
 * Makes these mounts in order, runs `body`, and unmounts everything. Returns false if mounting is not possible here.
 */
function withMounts(mounts: readonly (readonly string[])[], body: () => void): boolean {
  const mounted: string[] = [];
  try {
    for (const how of mounts) {
      if (spawnSync('mount', how).status !== 0) return false;
      mounted.push(how.at(-1) ?? '');
    }
    body();
    return true;
  } finally {
    for (const place of mounted.toReversed()) spawnSync('umount', [place]);
  }
}

test('if a bind mount makes the storage visible inside the work tree, the storage is refused', () =>
  withTop((top) => {
    const at = (path: string): string => join(top, path);
    for (const path of ['w/a b/c', 'w/in', 'w/small', 'w/over', 'out', 'again', 'far/near', 'tmpfs'])
      mkdirSync(at(path), { recursive: true });
    const places = (root: string, paths: readonly string[]): (string | undefined)[] => {
      const tree = openWorkTree(at(root));
      return paths.map((path) => storageWithin(tree, at(path)));
    };
    const mounts = [
      ['--bind', at('w/a b'), at('out')],
      ['--bind', at('w'), at('again')],
      ['--bind', at('far/near'), at('w/in')],
      ['--bind', at('far/near'), at('w/over')],
      ['-t', 'tmpfs', 'ckpt', at('w/over')],
      ['-t', 'tmpfs', 'ckpt', at('tmpfs')],
      ['--bind', at('tmpfs'), at('w/small')],
    ];
    const isMounted = withMounts(mounts, () => {
      const inside = ['out', 'out/c/new', 'again/x', 'far/near', 'far/near/x/y', 'tmpfs/x'];
      const expected = ['a b', 'a b/c/new', 'x', 'in', 'in/x/y', 'small/x'];
      assert.equal(places('w', inside), expected);
      assert.equal(places('w', ['far', 'far/x', 'outer']), [undefined, undefined, undefined]);
      assert.equal(places('again', ['out/x', 'w/a b/x']), ['a b/x', 'a b/x']);
      assert.equal(places('out', ['w/a b/x', 'w/x']), ['x', undefined]);
      const refuse = (): void => refuseStorageInside(openWorkTree(at('w')), at('far/near/x'));
      assert.throws(refuse, /lies inside the work tree .*\/w as in\/x\. Choose a storage directory outside/);
    });
    if (!isMounted) return console.log('SKIPPED: nothing can be mounted here');
    assert.equal(places('w', ['out', 'again/x', 'far/near', 'tmpfs']), [
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  }));

test('a backslash is part of a name, even in the path of the storage', () => {
  if (process.platform === 'win32') return;
  withTop((top) => {
    mkdirSync(join(top, 'w\\x/back\\slash'), { recursive: true });
    const tree = openWorkTree(join(top, 'w\\x'));
    for (const path of ['st\\ate', 'st\\ate/a\\b', 'w', 'w\\'])
      assert.is(storageWithin(tree, join(top, path)), undefined, path);
    assert.is(String(storageWithin(tree, join(top, 'w\\x/back\\slash/s\\t'))), 'back\\slash/s\\t');
  });
});

test('the path of a work tree may contain spaces and quotes, but must be UTF-8', () =>
  withTop((top) => {
    mkdirSync(join(top, 'a b"c\'d'));
    assert.is(openWorkTree(join(top, 'a b"c\'d')).root, join(top, 'a b"c\'d'));
    mkdirSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff])]));
    symlinkSync(Buffer.from([0xff]), join(top, 'bytes'));
    assert.is(
      kindOf(() => openWorkTree(join(top, 'bytes'))),
      'WorkTreeUnreadable',
    );
  }));

test.run();
