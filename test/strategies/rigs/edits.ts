// Random histories of edits, and the hand that makes them on a real work tree: files, directories, links, executable
// bits, strict modes, names of any bytes, renames, a nested repository, ignored files. Deterministic: the same history
// on the same tree leaves the same tree. Paths and contents are latin1 strings of bytes.
import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { git } from '../../support/in-process-daemon.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly content: string; readonly mode: number }
  | { readonly kind: 'append'; readonly path: string; readonly content: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'directoryMode'; readonly path: string; readonly mode: number }
  | { readonly kind: 'nested'; readonly path: string }
  | { readonly kind: 'rewrite'; readonly path: string; readonly byte: number }
  | { readonly kind: 'mode'; readonly path: string; readonly mode: number }
  | { readonly kind: 'hardLink'; readonly path: string; readonly to: string }
  | { readonly kind: 'directory'; readonly path: string };

/** Where edits happen: few, so that they meet. */
export const paths = fc.constantFrom(
  'a',
  'b.txt',
  'src/a',
  'src/main.ts',
  'src/deep/er/c',
  'src',
  'x y',
  '-f',
  ':(top)',
  '\xff\xfe',
  'n\nl/tab\t',
  '\xc3\xbc\xc3\xa9',
  'Ab',
  'build/out.o',
  'debug.log',
);
const contents = fc.oneof(
  fc.constantFrom(
    '',
    'one\n',
    'one\ntwo\nthree\nfour\nfive\nsix\n',
    'no end',
    '\r\n\r\n',
    '\0\x01\xffbinary',
  ),
  fc.array(fc.constantFrom('alpha', 'beta', 'gamma', ''), { maxLength: 12 }).map((l) => l.join('\n')),
  fc.constant('large '.repeat(20_000)),
);
const modes = fc.constantFrom(0o644, 0o644, 0o755, 0o600, 0o444, 0o700);

const edits: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path: paths,
      content: contents,
      mode: modes,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('append' as const), path: paths, content: contents }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      path: paths,
      target: fc.constantFrom('a', '../outside', '/etc/passwd', 'gone', '\xff'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path: paths }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rename' as const), path: paths, to: paths }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('directoryMode' as const),
      path: fc.constantFrom('src', 'src/deep', 'build'),
      mode: fc.constantFrom(0o700, 0o750, 0o755),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('nested' as const),
      path: fc.constantFrom('vendor', 'src/nested'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path: fc.constantFrom('.gitignore', 'src/.gitignore'),
      content: fc.constantFrom('*.log\nbuild/\n', '!debug.log\n', 'a\n', ''),
      mode: fc.constant(0o644),
    }),
  },
);

const ignoreFiles = fc.constantFrom(
  '.gitignore',
  'src/.gitignore',
  'src/deep/.gitignore',
  '.git/info/exclude',
);

/** The edits above, and those that only a random walk makes: sly rewrites, modes alone, ignore rules that come and go. */
export const wildEdits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 12, arbitrary: edits },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('rewrite' as const),
      path: paths,
      byte: fc.integer({ min: 1, max: 250 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mode' as const), path: paths, mode: modes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hardLink' as const), path: paths, to: paths }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('directory' as const), path: paths }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path: ignoreFiles,
      content: fc.constantFrom(
        '*.log\nbuild/\n',
        '!debug.log\n',
        'a\n',
        'src\n',
        '*\n!b.txt\n',
        '/src/deep\n',
        '',
      ),
      mode: fc.constant(0o644),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path: ignoreFiles }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      path: fc.constantFrom('src', 'src/deep'),
      target: fc.constantFrom('../outside', 'b.txt'),
    }),
  },
);

/** Steps between checkpoints, each of some edits. */
export type History = readonly (readonly Edit[])[];

export function histories(steps: number): fc.Arbitrary<History> {
  return fc.array(fc.array(edits, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: steps });
}

/** A history without ignore rules: then a work tree after a hard restore is exactly what it was. */
export function plainHistories(steps: number): fc.Arbitrary<History> {
  return histories(steps).map((history) =>
    history.map((step) => step.filter((edit) => !edit.path.endsWith('.gitignore'))),
  );
}

const on = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

/** What stands there; undefined when nothing does, or when a file stands where a directory would have to. */
function lookAt(path: Buffer): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Makes room for a file: what stands on the way as a file, or in its place as a directory, goes. */
function makeRoom(root: string, path: string): void {
  const parts = path.split('/');
  for (let i = 1; i < parts.length; i += 1) {
    const above = on(root, parts.slice(0, i).join('/'));
    if (lookAt(above)?.isDirectory() === false) rmSync(above);
    mkdirSync(above, { recursive: true });
  }
  rmSync(on(root, path), { recursive: true, force: true });
}

export function apply(root: string, edit: Edit): void {
  const at = on(root, edit.path);
  switch (edit.kind) {
    case 'write':
      makeRoom(root, edit.path);
      writeFileSync(at, edit.content, 'latin1');
      chmodSync(at, edit.mode);
      return;
    case 'append':
      if (lookAt(at)?.isFile() === true) writeFileSync(at, edit.content, { encoding: 'latin1', flag: 'a' });
      return;
    case 'link':
      makeRoom(root, edit.path);
      symlinkSync(Buffer.from(edit.target, 'latin1'), at);
      return;
    case 'remove':
      if (lookAt(at) === undefined) return;
      rmSync(at, { recursive: true, force: true });
      return;
    case 'rename':
      if (lookAt(at) === undefined || edit.to === edit.path || edit.to.startsWith(`${edit.path}/`)) return;
      if (edit.path.startsWith(`${edit.to}/`)) return;
      makeRoom(root, edit.to);
      renameSync(at, on(root, edit.to));
      return;
    case 'directoryMode':
      if (lookAt(at)?.isDirectory() === true) chmodSync(at, edit.mode);
      return;
    case 'nested':
      if (lookAt(on(root, `${edit.path}/.git`)) !== undefined) return;
      makeRoom(root, `${edit.path}/.git`);
      cpSync(emptyRepository(), on(root, edit.path).toString(), { recursive: true });
      writeFileSync(on(root, `${edit.path}/inner.txt`), 'inner\n');
      return;
    case 'rewrite':
      rewrite(at, edit.byte);
      return;
    case 'mode':
      if (lookAt(at)?.isFile() === true) chmodSync(at, edit.mode);
      return;
    case 'hardLink':
      if (lookAt(at)?.isFile() !== true || edit.to === edit.path || edit.path.startsWith(`${edit.to}/`))
        return;
      if (edit.to.startsWith(`${edit.path}/`)) return;
      makeRoom(root, edit.to);
      linkSync(at, on(root, edit.to));
      return;
    case 'directory':
      makeRoom(root, edit.path);
      mkdirSync(at);
      return;
    default:
      throw new Error(`no such edit: ${JSON.stringify(edit satisfies never)}`);
  }
}

/** Other bytes of the same size in the same file, and its old times put back. */
function rewrite(at: Buffer, byte: number): void {
  const before = lookAt(at);
  if (before?.isFile() !== true) return;
  const bytes = readFileSync(at);
  writeFileSync(
    at,
    bytes.map((each) => each ^ byte),
  );
  utimesSync(at, before.atime, before.mtime);
}

let empty: string | undefined;

/** A directory that holds nothing but the `.git` of a repository with one commit, to be copied. */
export function emptyRepository(): string {
  if (empty !== undefined) return empty;
  empty = temporaryDirectory('empty');
  git(empty, 'init', '-q', '-b', 'main', '--template=');
  git(empty, 'commit', '-q', '--allow-empty', '-m', 'first');
  return empty;
}

/** Where nested `.git` directories stand, as latin1 paths; nothing may move or rename one. */
export function gitDirectories(root: string): string[] {
  const found: string[] = [];
  const visit = (directory: string): void => {
    for (const name of readdirSync(on(root, directory), { encoding: 'latin1' })) {
      const path = directory === '' ? name : `${directory}/${name}`;
      if (lookAt(on(root, path))?.isDirectory() !== true) continue;
      if (name.startsWith('.git')) found.push(path);
      else visit(path);
    }
  };
  visit('');
  return found.sort();
}
