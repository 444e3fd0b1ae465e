// Makes snapshots without a work tree. Stores a plain map of paths to files as a capture would, and reads the map back
// for comparison. Uses only the interface of the stores.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import {
  type BlobId,
  type CheckpointId,
  newCheckpointId,
  type SnapshotId,
  type Tag,
} from '../../../src/base/ids.ts';
import type { StableContent } from '../../../src/capture/snapshot-sink.ts';
import type { CheckpointRecord, SnapshotStore } from '../../../src/store/snapshot-store.ts';
import { type Directory, type EntryMode, type FileNode, isDirectory } from '../../../src/tree/tree.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';

export interface PlainFile {
  readonly bytes: Buffer;
  readonly mode: EntryMode;
  readonly permissions?: number;
}

/** Maps paths (latin1) to files and links. Directories exist only as parts of these paths. */
export type PlainTree = ReadonlyMap<string, PlainFile>;

export const at = (path: string): TreePath => path as TreePath;
export const file = (text: string | Buffer, permissions?: number): PlainFile => ({
  bytes: Buffer.from(text),
  mode: '100644',
  ...(permissions === undefined ? {} : { permissions }),
});
export const program = (text: string): PlainFile => ({ bytes: Buffer.from(text), mode: '100755' });
export const link = (target: string): PlainFile => ({ bytes: Buffer.from(target, 'latin1'), mode: '120000' });
export const plain = (files: Record<string, PlainFile | string>): PlainTree =>
  new Map(
    Object.entries(files).map(([path, one]) => [path, typeof one === 'string' ? file(one) : one] as const),
  );

export function blobOf(store: SnapshotStore, bytes: Uint8Array): BlobId {
  const hash = store.hash(bytes.length);
  hash.update(bytes);
  return hash.digest();
}

/**
 * Returns the tree that a capture would build. `strict` has the permission bits of directories with unusual
 * permissions.
 */
export function directoryOf(
  store: SnapshotStore,
  tree: PlainTree,
  strict: ReadonlyMap<string, number> = new Map(),
): Directory {
  const root: Directory = { entries: new Map() };
  for (const [path, { bytes, mode, permissions }] of tree) {
    const parts = path.split('/');
    let directory = root;
    parts.slice(0, -1).forEach((name, depth) => {
      let next = directory.entries.get(name);
      if (next === undefined || !isDirectory(next)) {
        const bits = strict.get(parts.slice(0, depth + 1).join('/'));
        next = { entries: new Map(), ...(bits === undefined ? {} : { permissions: bits }) };
        directory.entries.set(name, next);
      }
      directory = next;
    });
    const node: FileNode = {
      mode,
      blob: blobOf(store, bytes),
      ...(permissions === undefined ? {} : { permissions }),
    };
    directory.entries.set(parts.at(-1) ?? '', node);
  }
  return root;
}

/** Stores a whole tree and returns its snapshot. Publishes nothing. */
export async function capture(
  store: SnapshotStore,
  tree: PlainTree,
  strict?: ReadonlyMap<string, number>,
): Promise<SnapshotId> {
  const writer = store.writer();
  await Promise.all(
    [...tree.values()].map(({ bytes }) => writer.addBlob(blobOf(store, bytes), inReusedMemory(bytes))),
  );
  return writer.seal(directoryOf(store, tree, strict));
}

/** Returns a content whose bytes are overwritten as soon as the writer releases the content. */
export function inReusedMemory(content: Uint8Array): StableContent {
  const bytes = Buffer.from(content);
  const part = {
    bytes,
    used: bytes.length,
    get contents() {
      return 1;
    },
    set contents(_left: number) {
      bytes.fill(0xff);
    },
  };
  return { kind: 'bytes', bytes, part };
}

export async function bytesOfBlob(
  store: SnapshotStore,
  blob: BlobId,
  range?: { offset: number; length: number },
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(blob, range)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Reads a snapshot back into a plain map. */
export async function contentsOf(store: SnapshotStore, snapshot: SnapshotId): Promise<PlainTree> {
  const tree = new Map<string, PlainFile>();
  for (const { path, mode, permissions, blob } of await store.entries(snapshot)) {
    const bytes = await bytesOfBlob(store, blob);
    tree.set(path, { bytes, mode, ...(permissions === undefined ? {} : { permissions }) });
  }
  return tree;
}

/** Returns a tree as sorted lines of text (latin1), which uvu compares and prints well. */
export function shown(tree: PlainTree): string[] {
  return [...tree]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([path, { bytes, mode, permissions }]) =>
        `${mode} ${permissions?.toString(8) ?? '-'} ${JSON.stringify(path)} ${bytes.toString('latin1').slice(0, 400)} ${bytes.length}`,
    );
}

/**
 * Returns the differences between two trees, by comparing every path. This function is the plain model of the store's
 * `changes`.
 */
export function differences(from: PlainTree, to: PlainTree): string[] {
  const list: string[] = [];
  for (const path of [...new Set([...from.keys(), ...to.keys()])].sort((a, b) => (a < b ? -1 : 1))) {
    const [before, after] = [from.get(path), to.get(path)];
    if (before === undefined) list.push(`added ${path}`);
    else if (after === undefined) list.push(`deleted ${path}`);
    else if (shown(new Map([[path, before]]))[0] !== shown(new Map([[path, after]]))[0])
      list.push(`modified ${path}`);
  }
  return list;
}

export interface RecordOptions extends Partial<Omit<CheckpointRecord, 'snapshot' | 'seq'>> {
  readonly snapshot: SnapshotId;
  readonly seq: number;
}

/** Returns the record of a checkpoint, with default values for all fields that the test does not set. */
export function recordOf(options: RecordOptions): CheckpointRecord {
  return {
    id: newCheckpointId(),
    timestamp: '2026-03-01T12:00:00.000Z',
    kind: 'turn',
    description: `checkpoint ${options.seq}`,
    message: '',
    conversation: 0,
    logLength: 0,
    historyLength: 0,
    currentTurn: options.seq,
    toolsInTurn: 0,
    skipped: [],
    ...options,
  };
}

export interface Published {
  readonly id: CheckpointId;
  readonly snapshot: SnapshotId;
}

/** Captures a tree and publishes it. */
export async function checkpoint(
  store: SnapshotStore,
  tree: PlainTree,
  options: Omit<RecordOptions, 'snapshot'> & { tag?: string; name?: string },
): Promise<Published> {
  const { tag, name, ...rest } = options;
  const record = recordOf({ ...rest, snapshot: await capture(store, tree) });
  await store.publish({
    record,
    ...(tag === undefined ? {} : { tag: tag as Tag }),
    ...(name === undefined ? {} : { name }),
  });
  return { id: record.id, snapshot: record.snapshot };
}

const names = [
  'a',
  'b',
  'a.b',
  'a-b',
  'A',
  'x y',
  '-f',
  ':(top)',
  '\xff\xfe',
  'n\nl',
  '\xc3\xbc',
  '"q"',
  '0',
];
const files: fc.Arbitrary<PlainFile> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('', 'one\n', 'one\ntwo\n', 'x'.repeat(5000)).map((t) => file(t)) },
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => file(Buffer.from(bytes))) },
  { weight: 2, arbitrary: fc.constantFrom('one\n', '#!/bin/sh\n').map(program) },
  { weight: 2, arbitrary: fc.constantFrom(0o600, 0o444, 0o640, 0).map((bits) => file('one\n', bits)) },
  { weight: 1, arbitrary: fc.constantFrom('a', '../outside', '/etc/passwd', '\xff').map(link) },
);

/**
 * Random small trees that often share paths and contents. The same path is often a file in one tree and a directory in
 * another.
 */
export const trees: fc.Arbitrary<PlainTree> = fc
  .array(fc.tuple(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), files), {
    maxLength: 12,
  })
  .map((list) => {
    const tree = new Map<string, PlainFile>();
    const directories = new Set<string>();
    for (const [parts, one] of list) {
      const path = parts.join('/');
      const above = parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
      if (directories.has(path) || above.some((each) => tree.has(each))) continue;
      tree.set(path, one);
      for (const each of above) directories.add(each);
    }
    return tree;
  });

/** Returns bytes that cannot be compressed. */
export const noise = (size: number): Buffer => randomBytes(size);

/** Returns changes in the format of {@link differences}. */
export function changesShown(
  changes: readonly { path: string; before?: unknown; after?: unknown }[],
): string[] {
  return changes.map(({ path, before, after }) =>
    before === undefined ? `added ${path}` : after === undefined ? `deleted ${path}` : `modified ${path}`,
  );
}
