// Reads a line that cannot be trusted, and checks it. The head must belong to this session and writer. Every page must
// exist and be small enough. Every record must name the tree that was sent with it. Every tree must be one that a work
// tree can have.
import { isDamage } from '../base/errors.ts';
import type { Tag } from '../base/ids.ts';
import { isObject, parseJson } from '../base/json.ts';
import { Slices } from '../base/slices.ts';
import type { LogRecord } from '../conversation/log/session-log.ts';
import type { ObjectReader } from '../git/objects/object-reader.ts';
import { decodeTree, emptyTree, type TreeItem } from '../git/objects/tree-format.ts';
import { partsOfSnapshot } from '../store/git/checkpoints.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import { parseRecord } from '../store/stored-record.ts';
import { decodeModes } from '../tree/strict-modes.ts';
import { corrupt } from './carrier.ts';
import {
  decodeHead,
  type LineNames,
  lineLimits,
  type Manifest,
  numbered,
  pageOfSeq,
  parseManifest,
  parseNames,
} from './line-format.ts';

/** A checkpoint of a line. The record's snapshot is the id of the sent tree. */
export interface LineCheckpoint {
  readonly record: CheckpointRecord;
  readonly tag?: Tag | undefined;
  readonly name?: string | undefined;
}

/** The session and the writer that the name of a ref contains. */
export interface LineIdentity {
  readonly session: string;
  readonly writer: string;
}

export interface Line {
  readonly commit: string;
  readonly manifest: Manifest;
  /** The checkpoints in the order of `seq`. */
  readonly checkpoints: readonly LineCheckpoint[];
  /** The ids of the pages and pieces, by their names in the head's tree. */
  readonly parts: ReadonlyMap<string, string>;
}

/** Reads a head commit and its manifest. @throws RemoteCorrupt, even if the head is a valid head of a different line */
export async function readHead(
  reader: ObjectReader,
  commit: string,
  { session, writer }: LineIdentity,
): Promise<ReturnType<typeof decodeHead>> {
  const head = decodeHead(await readObject(reader, 'commit', commit, 2 * lineLimits.manifestBytes));
  if (head.manifest.session !== session || head.manifest.writer !== writer)
    throw corrupt('a ref names the line of another session', {
      session,
      found: head.manifest.session.slice(0, 64),
    });
  return head;
}

/** Reads a line without its contents and without the conversation. @throws RemoteCorrupt */
export async function readLine(reader: ObjectReader, commit: string, identity: LineIdentity): Promise<Line> {
  const { tree, manifest } = await readHead(reader, commit, identity);
  const top = await namesIn(reader, tree);
  const blob = top.get('manifest');
  const text = await readText(reader, blob, lineLimits.manifestBytes);
  if (JSON.stringify(parseManifest(text)) !== JSON.stringify(manifest))
    throw corrupt('the two manifests of a line differ');
  const parts = new Map<string, string>();
  const folders: Record<string, ReadonlyMap<string, string>> = {};
  for (const folder of ['records', 'conversation', 'trees', 'modes']) {
    const id = top.get(folder);
    folders[folder] = id === undefined ? new Map() : await namesIn(reader, id);
    for (const [name, part] of folders[folder]) parts.set(`${folder}/${name}`, part);
  }
  const named = top.get('names');
  if (named !== undefined) parts.set('names', named);
  const names = parseNames(await readText(reader, named, lineLimits.pageBytes));
  const checkpoints = await readCheckpoints(reader, manifest, parts, names);
  return { commit, manifest, checkpoints, parts };
}

async function readCheckpoints(
  reader: ObjectReader,
  manifest: Manifest,
  parts: ReadonlyMap<string, string>,
  names: LineNames,
): Promise<LineCheckpoint[]> {
  const checkpoints: LineCheckpoint[] = [];
  const ids = new Set<string>();
  const tags = new Map(Object.entries(names.tags).map(([tag, id]) => [id, tag as Tag]));
  const called = new Map(Object.entries(names.names).map(([name, id]) => [id, name]));
  for (const page of manifest.pages) {
    const name = numbered(page);
    const text = await readText(reader, parts.get(`records/${name}`), lineLimits.pageBytes);
    const trees = await optionalNames(reader, parts.get(`trees/${name}`));
    const modes = await optionalNames(reader, parts.get(`modes/${name}`));
    for (const line of text.split('\n').slice(0, -1)) {
      const record = parseRecord(line)?.record;
      if (record === undefined || !idForm.test(record.id) || ids.has(record.id))
        throw corrupt('a record of a checkpoint is unreadable, or occurs twice');
      if (pageOfSeq(record.seq) !== page) throw corrupt('a record is in the wrong page');
      if (record.conversation > manifest.logRecords || record.logLength > manifest.logRecords)
        throw corrupt('a record has a position that the conversation lacks');
      checkTreeOf(record, trees, modes);
      ids.add(record.id);
      checkpoints.push({ record, tag: tags.get(record.id), name: called.get(record.id) });
    }
  }
  if (checkpoints.length !== manifest.checkpoints)
    throw corrupt('a line has more or fewer checkpoints than its manifest says');
  checkpoints.sort((a, b) => a.record.seq - b.record.seq);
  if (checkpoints.some(({ record }, i) => i > 0 && record.seq === checkpoints[i - 1]?.record.seq))
    throw corrupt('two checkpoints have the same position');
  return checkpoints;
}

const idForm = /^ckpt_[0-9a-z]{1,64}$/;
const snapshotForm = /^[0-9a-f]{40}(?:-[0-9a-f]{40})?$/;

/** Checks that the record names the tree that was sent with the record. The remote has no other tree for the record. */
function checkTreeOf(
  { id, snapshot }: CheckpointRecord,
  trees: ReadonlyMap<string, string>,
  modes: ReadonlyMap<string, string>,
): void {
  if (!snapshotForm.test(snapshot)) throw corrupt('a record has no valid snapshot id');
  const parts = partsOfSnapshot(snapshot);
  const isThere =
    parts.tree === emptyTree ? !trees.has(id) || trees.get(id) === emptyTree : trees.get(id) === parts.tree;
  if (!isThere || modes.get(id) !== parts.modes)
    throw corrupt('the tree in a record is not the tree of the checkpoint');
}

/** Returns the records of the session's log, in order. @throws RemoteCorrupt */
export async function* readConversation(
  reader: ObjectReader,
  { manifest, parts }: Pick<Line, 'manifest' | 'parts'>,
  signal?: AbortSignal,
): AsyncGenerator<LogRecord> {
  let count = 0;
  const slices = new Slices(signal);
  for (let piece = 0; piece < manifest.pieces; piece += 1) {
    const text = await readText(reader, parts.get(`conversation/${numbered(piece)}`), lineLimits.pieceBytes);
    for (const line of text.split('\n').slice(0, -1)) {
      if (slices.isDue()) await slices.pause();
      count += 1;
      yield parseLogRecord(line);
    }
  }
  if (count !== manifest.logRecords)
    throw corrupt('a line has more or fewer conversation records than its manifest says');
}

/** The kinds of records that a line may contain. A record of kind `lost` only fills a position. */
const logKinds: ReadonlySet<unknown> = new Set(['conversation', 'ledger', 'descent', 'lost']);

function parseLogRecord(line: string): LogRecord {
  const value = parseJson(line);
  if (value === undefined) throw corrupt('a record of the conversation is not JSON');
  if (!isObject<keyof LogRecord>(value) || !logKinds.has(value.kind))
    throw corrupt('a record of the conversation has an invalid kind');
  return value as LogRecord;
}

/**
 * Checks every directory of a line's trees once. The names, modes and order of entries must be valid in git. A tree
 * must not contain itself, and must not have more files or levels than a work tree can have. Also checks that every
 * content exists, and that all contents together have at most `bytesMax` bytes. The limit is needed because a few bytes
 * of a pack can become many bytes in a work tree.
 * @throws RemoteCorrupt
 */
export async function checkTrees(
  reader: ObjectReader,
  checkpoints: readonly LineCheckpoint[],
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const known = new Map<string, Unfolded>([[emptyTree, { files: 0, depth: 0 }]]);
  const contents = new Set<string>();
  const slices = new Slices(signal);
  for (const { record } of checkpoints) {
    const { tree, modes } = partsOfSnapshot(record.snapshot);
    await unfold(reader, tree, { known, contents, slices });
    if (modes === undefined) continue;
    const table = await decodeModes(
      await readObject(reader, 'blob', modes, lineLimits.pageBytes),
      modes,
    ).catch(refused);
    for (const permissions of [...table.files.values(), ...table.directories.values()])
      if ((permissions & 0o7000) !== 0) throw corrupt('permissions of a checkpoint have invalid bits');
  }
  const sizes = await reader.sizes([...contents]);
  if (sizes.includes(-1)) throw corrupt('a content of a checkpoint is missing');
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > bytesMax)
    throw corrupt('the contents of a line are larger than its manifest says', { bytes, limit: bytesMax });
}

interface Unfolded {
  readonly files: number;
  readonly depth: number;
}

/** Walks depth first and without recursion, because a malicious line may have very deep directories. */
async function unfold(
  reader: ObjectReader,
  root: string,
  {
    known,
    contents,
    slices,
  }: {
    readonly known: Map<string, Unfolded>;
    readonly contents: Set<string>;
    readonly slices: Slices;
  },
): Promise<void> {
  const stack: { readonly id: string; items?: readonly TreeItem[] }[] = [{ id: root }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (slices.isDue()) await slices.pause();
    if (known.has(top.id)) {
      stack.pop();
      continue;
    }
    if (top.items === undefined) {
      if (stack.length > lineLimits.directoryDepth)
        throw corrupt('the directories of a checkpoint are too deep');
      top.items = await decodeTree(
        await readObject(reader, 'tree', top.id, lineLimits.pageBytes),
        top.id,
      ).catch(refused);
      for (const { mode, id } of top.items) if (mode === '040000' && !known.has(id)) stack.push({ id });
      continue;
    }
    let [files, depth] = [0, 0];
    for (const { mode, id } of top.items) {
      const below = mode === '040000' ? known.get(id) : undefined;
      if (mode === '040000' && below === undefined) throw corrupt('a directory contains itself');
      if (mode !== '040000') contents.add(id);
      files += below?.files ?? 1;
      depth = Math.max(depth, (below?.depth ?? 0) + 1);
    }
    if (files > lineLimits.filesPerTree || depth > lineLimits.directoryDepth)
      throw corrupt('a checkpoint has too many files');
    known.set(top.id, { files, depth });
    stack.pop();
  }
}

async function namesIn(reader: ObjectReader, tree: string): Promise<Map<string, string>> {
  const bytes =
    tree === emptyTree ? Buffer.alloc(0) : await readObject(reader, 'tree', tree, lineLimits.pageBytes);
  const items = await decodeTree(bytes, tree).catch(refused);
  return new Map(items.map(({ name, id }) => [name, id]));
}

async function optionalNames(reader: ObjectReader, tree: string | undefined): Promise<Map<string, string>> {
  return tree === undefined ? new Map() : namesIn(reader, tree);
}

async function readText(reader: ObjectReader, blob: string | undefined, bytesMax: number): Promise<string> {
  if (blob === undefined) throw corrupt('a part of a line is missing');
  return (await readObject(reader, 'blob', blob, bytesMax)).toString('utf8');
}

/**
 * Reads an object. First checks the object's size, because a content of a gigabyte may take only a thousand bytes in a
 * pack.
 */
async function readObject(
  reader: ObjectReader,
  type: 'blob' | 'tree' | 'commit',
  id: string,
  bytesMax: number,
): Promise<Buffer> {
  const [size = -1] = await reader.sizes([id]);
  if (size < 0) throw corrupt(`a ${type} is missing`, { object: id });
  if (size > bytesMax) throw corrupt(`a ${type} is too large`, { object: id, bytes: size });
  return reader.read(type, id).catch(refused);
}

/** Turns an error about damaged data into an error about the remote. */
function refused(error: unknown): never {
  if (isDamage(error)) throw corrupt('an object is invalid', error.details, error);
  throw error;
}
