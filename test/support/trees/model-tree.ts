// A work tree as a plain map, for restore tests. The functions write the map to disk, read it back, compare two maps,
// and keep contents in memory. The reading function uses only node:fs and no code under test.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { BlobId } from '../../../src/base/ids.ts';
import { planRestoreAtOnce, type RestoreFacts, type RestorePlan } from '../../../src/restore/plan.ts';
import type { Contents } from '../../../src/store/snapshot-store.ts';
import type { Entry, TreeChange } from '../../../src/tree/tree.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';

/** `mode` has the bits that lstat reports (07777), and is 0 for links. */
export interface ModelNode {
  readonly kind: 'file' | 'link' | 'special';
  readonly content: string;
  readonly mode: number;
}

/**
 * A tree by path (latin1). `nodes` has the files and links, whose directories need no entry. `directories` has the
 * modes of directories with strict permissions.
 */
export interface ModelTree {
  readonly nodes: Map<string, ModelNode>;
  readonly directories: Map<string, number>;
}

export const path = (text: string): TreePath => text as TreePath;
export const file = (content: string, mode = 0o644): ModelNode => ({ kind: 'file', content, mode });
export const link = (target: string): ModelNode => ({ kind: 'link', content: target, mode: 0 });

export function model(nodes: Record<string, ModelNode | string>): ModelTree {
  const entries = Object.entries(nodes).map(
    ([name, node]) => [name, typeof node === 'string' ? file(node) : node] as const,
  );
  return { nodes: new Map(entries), directories: new Map() };
}

export function makeDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-restore-')));
}

export function on(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
}

/** Writes a model below a root directory. */
export function build(root: string, tree: ModelTree): void {
  for (const [name, node] of tree.nodes) {
    const slash = name.lastIndexOf('/');
    if (slash > 0) mkdirSync(on(root, name.slice(0, slash)), { recursive: true });
    if (node.kind === 'link') symlinkSync(Buffer.from(node.content, 'latin1'), on(root, name));
    else {
      writeFileSync(on(root, name), Buffer.from(node.content, 'latin1'));
      chmodSync(on(root, name), node.mode);
    }
  }
  for (const [name, mode] of tree.directories) chmodSync(on(root, name), mode);
}

/** Returns the files on the disk, and the empty directories as `name/`. */
export function walk(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (directory: string): void => {
    const names = readdirSync(directory === '' ? root : on(root, directory), { encoding: 'buffer' });
    if (names.length === 0 && directory !== '') found.set(`${directory}/`, 'empty');
    for (const bytes of names) {
      const name = (directory === '' ? '' : `${directory}/`) + bytes.toString('latin1');
      const stats = lstatSync(on(root, name));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        if ((stats.mode & 0o7777) !== 0o755) found.set(`${name}/.`, mode);
        visit(name);
      } else if (stats.isSymbolicLink()) {
        found.set(name, `link ${readlinkSync(on(root, name), { encoding: 'buffer' }).toString('latin1')}`);
      } else if (stats.isFile()) {
        found.set(name, `file ${mode} ${readFileSync(on(root, name)).toString('latin1')}`);
      } else found.set(name, 'special');
    }
  };
  visit('');
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the manifest of a model. */
export function manifest(tree: ModelTree): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, { kind, content, mode }] of tree.nodes) {
    found.set(name, kind === 'link' ? `link ${content}` : `file ${mode.toString(8)} ${content}`);
  }
  for (const [name, mode] of tree.directories) found.set(`${name}/.`, mode.toString(8));
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function blobOf(content: string): BlobId {
  const bytes = Buffer.from(content, 'latin1');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') as BlobId;
}

/** The contents of some models, in memory. Reading a blob that is in `corrupt` fails. */
export class MemoryContents implements Contents {
  readonly #byId = new Map<BlobId, Buffer>();
  readonly corrupt = new Set<BlobId>();

  constructor(...trees: readonly ModelTree[]) {
    for (const tree of trees) for (const { content } of tree.nodes.values()) this.add(content);
  }

  add(content: string): BlobId {
    const id = blobOf(content);
    this.#byId.set(id, Buffer.from(content, 'latin1'));
    return id;
  }

  async *read(blob: BlobId): AsyncGenerator<Uint8Array> {
    const bytes = this.#byId.get(blob);
    if (bytes === undefined || this.corrupt.has(blob)) {
      throw new CheckpointdError('DataCorrupt', `The content ${blob} is damaged. Restore other paths.`);
    }
    for (let at = 0; at < bytes.length; at += 1 << 16) yield bytes.subarray(at, at + (1 << 16));
  }

  async sizes(blobs: readonly BlobId[]): Promise<number[]> {
    return blobs.map((blob) => this.#byId.get(blob)?.length ?? -1);
  }

  hash(size: number): { update(bytes: Uint8Array): void; digest(): BlobId } {
    const hash = createHash('sha1').update(`blob ${size}\0`);
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') as BlobId };
  }
}

export function isStrict(mode: number): boolean {
  return (mode & 0o200) === 0 || (mode & 0o044) !== 0o044;
}

export function entryOf(name: string, node: ModelNode): Entry {
  if (node.kind === 'link') return { path: path(name), mode: '120000', blob: blobOf(node.content) };
  return {
    path: path(name),
    mode: (node.mode & 0o100) === 0 ? '100644' : '100755',
    blob: blobOf(node.content),
    ...(isStrict(node.mode) ? { permissions: node.mode } : {}),
  };
}

/** Returns the changes between two models, as a store reports them. */
export function changesBetween(from: ModelTree, to: ModelTree): TreeChange[] {
  const changes: TreeChange[] = [];
  for (const name of [...new Set([...from.nodes.keys(), ...to.nodes.keys()])].sort()) {
    const before = from.nodes.get(name);
    const after = to.nodes.get(name);
    const b = before && entryOf(name, before);
    const a = after && entryOf(name, after);
    if (JSON.stringify(a) === JSON.stringify(b)) continue;
    changes.push({ path: path(name), ...(b && { before: b }), ...(a && { after: a }) });
  }
  return changes;
}

export function planBetween(
  from: ModelTree,
  to: ModelTree,
  mode: 'soft' | 'hard',
  rest: Partial<RestoreFacts> = {},
): RestorePlan {
  const held = (directory: string): boolean =>
    [...to.nodes.keys()].some((name) => name.startsWith(`${directory}/`));
  const permissions = (tree: ModelTree): Map<TreePath, number> =>
    new Map([...tree.directories].map(([name, bits]) => [path(name), bits]));
  return planRestoreAtOnce({
    changes: changesBetween(from, to),
    mode,
    unknown: [],
    directoryPermissions: { present: permissions(from), target: permissions(to) },
    hasFilesInTarget: held,
    conflicts: new Set(),
    onConflict: 'overwrite',
    ...rest,
  });
}

/** Returns the documented result of a soft restore: the target, and all present files that are not in its way. */
export function softResult(present: ModelTree, target: ModelTree): ModelTree {
  const nodes = new Map(target.nodes);
  const directories = new Map(target.directories);
  const targetDirectories = new Set([...target.nodes.keys()].flatMap(above));
  for (const [name, node] of present.nodes) {
    if (target.nodes.has(name) || targetDirectories.has(name)) continue;
    if (above(name).some((directory) => target.nodes.has(directory))) continue;
    nodes.set(name, node);
    for (const directory of above(name)) {
      const mode = present.directories.get(directory);
      if (mode !== undefined && !targetDirectories.has(directory)) directories.set(directory, mode);
    }
  }
  return { nodes, directories };
}

const names = ['a', 'b', 'A', 'x y', '-f', ':(top)', '\xff\xfe', 'n\nl', '\xc3\xbc', '.ckpt', 'con'];
const nodes: fc.Arbitrary<ModelNode> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        content: fc.constantFrom('', 'one', 'two', 'z'.repeat(70_000)),
        mode: fc.constantFrom(0o644, 0o755),
      })
      .map((node) => ({ kind: 'file' as const, ...node })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        content: fc.constantFrom('s', 't'),
        mode: fc.constantFrom(0o600, 0o444, 0o700, 0o640, 0o400),
      })
      .map((node) => ({ kind: 'file' as const, ...node })),
  },
  { weight: 2, arbitrary: fc.constantFrom('a', '../outside', '/etc/passwd', 'gone', '\xff').map(link) },
);

/** Random trees. The same path is often a file in one tree and a directory in another. */
export const trees: fc.Arbitrary<ModelTree> = fc
  .tuple(
    fc.array(fc.tuple(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }), nodes), {
      maxLength: 14,
    }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(0o700, 0o750, 0o555)), { maxLength: 2 }),
  )
  .map(([list, strict]) => {
    const tree: ModelTree = { nodes: new Map(), directories: new Map() };
    const directories = new Set<string>();
    for (const [parts, node] of list) {
      const name = parts.join('/');
      const above = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
      if (directories.has(name) || above.some((each) => tree.nodes.has(each))) continue;
      tree.nodes.set(name, node);
      for (const each of above) directories.add(each);
    }
    for (const [index, mode] of strict) {
      const directory = [...directories][index % Math.max(1, directories.size)];
      if (directory !== undefined) tree.directories.set(directory, mode);
    }
    return tree;
  });

/** Random pairs of trees. The second tree often has files and whole directories of the first tree under other names. */
export const movedTrees: fc.Arbitrary<[ModelTree, ModelTree]> = fc
  .tuple(
    trees,
    trees,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('m', 'a/m', 'b', 'n/o')), { maxLength: 3 }),
  )
  .map(([present, other, renames]) => {
    const target: ModelTree = { nodes: new Map(present.nodes), directories: new Map() };
    for (const [index, to] of renames) {
      const places = [...new Set([...target.nodes.keys()].flatMap((name) => [name, ...above(name)]))];
      const from = places[index % Math.max(1, places.length)];
      if (from === undefined) continue;
      for (const [name, node] of [...target.nodes].filter(([name]) => isBelow(name, from))) {
        target.nodes.delete(name);
        if (index % 5 > 0) place(target, to + name.slice(from.length), node);
      }
    }
    for (const [name, node] of [...other.nodes].slice(0, 2)) place(target, name, node);
    return [present, target];
  });

/** Puts a node into a tree, unless the tree already has a file above the path or a directory at the path. */
function place({ nodes: there }: ModelTree, name: string, node: ModelNode): void {
  const excludes = (each: string): boolean => each.startsWith(`${name}/`) || name.startsWith(`${each}/`);
  if (![...there.keys()].some(excludes)) there.set(name, node);
}

const isBelow = (name: string, directory: string): boolean =>
  name === directory || name.startsWith(`${directory}/`);

const above = (name: string): string[] =>
  name
    .split('/')
    .map((_, i, parts) => parts.slice(0, i).join('/'))
    .slice(1);

export function remove(root: string): void {
  rmSync(root, { recursive: true, force: true });
}

/** Reads the disk into a model, as a capture would. */
export function readModel(root: string): ModelTree {
  const tree: ModelTree = { nodes: new Map(), directories: new Map() };
  for (const [name, what] of walk(root)) {
    const [, mode = '', content = ''] = /^file (\d+) ([^]*)$/.exec(what) ?? [];
    if (name.endsWith('/.')) tree.directories.set(name.slice(0, -2), Number.parseInt(what, 8));
    else if (what.startsWith('link ')) tree.nodes.set(name, link(what.slice(5)));
    else if (mode !== '') tree.nodes.set(name, file(content, Number.parseInt(mode, 8)));
  }
  return tree;
}
