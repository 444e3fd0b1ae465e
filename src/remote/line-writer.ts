// Makes the next head of a line: a commit that contains the session's current records, the trees to send, and the
// conversation in pieces. Reuses the unchanged parts of the last head, so that the cost depends only on the new parts.
import { isDamage } from '../base/errors.ts';
import type { CheckpointId, SnapshotId, Tag } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import type { SkippedPath } from '../capture/snapshot-sink.ts';
import type { Known, LedgerRecord } from '../checkpoints/ledger.ts';
import type { LogRecord } from '../conversation/log/session-log.ts';
import { emptyTree, encodeTree, type TreeItem } from '../git/objects/tree-format.ts';
import { partsOfSnapshot } from '../store/git/checkpoints.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import { recordText } from '../store/stored-record.ts';
import type { Directory, Entry } from '../tree/tree.ts';
import { ancestors, rootPath, type TreePath } from '../tree/tree-path.ts';
import { SnapshotCopier } from './copied-snapshots.ts';
import { choicesId, LeftBehind, type LeftPath, type SendChoices } from './left-behind.ts';
import {
  encodeHead,
  lineFormat,
  type Manifest,
  numbered,
  pageOfSeq,
  pieceBytes,
  pieceRecords,
} from './line-format.ts';
import type { Line, LineCheckpoint } from './line-reader.ts';
import type { TravelObjects } from './travel-objects.ts';

/** The state of a session at one moment, from which a line is written. */
export interface LineSource {
  readonly store: SnapshotStore;
  /**
   * The checkpoints in the order of `seq`, each with its current tag. Safety checkpoints are omitted, because only this
   * machine needs them.
   */
  readonly checkpoints: readonly {
    readonly record: CheckpointRecord;
    readonly tag?: Tag | undefined;
    readonly name?: string | undefined;
  }[];
  /** The records of the session's log, in order. */
  readonly log: () => AsyncIterable<LogRecord>;
  readonly facts: Pick<
    Manifest,
    | 'session'
    | 'writer'
    | 'created'
    | 'conversationId'
    | 'workspace'
    | 'strategy'
    | 'title'
    | 'head'
    | 'historyLength'
    | 'origin'
  >;
}

export interface WrittenLine {
  readonly line: Line;
  /** False when the last head already has all data of the session. */
  readonly isNew: boolean;
  /** The number of checkpoints that the last head did not have. */
  readonly added: number;
  /** The paths that are not sent. The paths of the newest checkpoint come first. */
  readonly left: readonly LeftPath[];
}

interface Job {
  readonly source: LineSource;
  readonly choices: SendChoices;
  readonly objects: TravelObjects;
  /** The last head that this storage made for the remote. The push of this head may have failed. */
  readonly previous?: Line | undefined;
  /**
   * The line from which the session was imported. Present only if the remote and the store have all objects of this
   * line.
   */
  readonly imported?: Line | undefined;
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
  readonly onCheckpoint?: ((done: number, total: number) => void) | undefined;
}

export async function writeLine(job: Job): Promise<WrittenLine> {
  const { source, previous, choices, objects, now } = job;
  const trees = new SentTrees(job);
  const checkpoints: LineCheckpoint[] = [];
  for (const [index, { record, tag, name }] of source.checkpoints.entries()) {
    job.signal?.throwIfAborted();
    checkpoints.push({ record: await trees.recordToSend(record), tag, name });
    job.onCheckpoint?.(index + 1, source.checkpoints.length);
  }
  const left = trees.left;
  const pages = await writePages(objects, checkpoints);
  const pieces = await writePieces(job, left, trees.contentId);
  const tags = Object.fromEntries(
    checkpoints.flatMap(({ tag, record }) => (tag === undefined ? [] : [[tag, record.id]])),
  );
  const called = Object.fromEntries(
    checkpoints.flatMap(({ name, record }) => (name === undefined ? [] : [[name, record.id]])),
  );
  const names = await objects.write('blob', Buffer.from(`${JSON.stringify({ tags, names: called })}\n`));
  const manifest: Manifest = {
    format: lineFormat,
    generation: (previous?.manifest.generation ?? 0) + 1,
    updated: now.toISOString(),
    checkpoints: checkpoints.length,
    bytes: ((previous ?? job.imported)?.manifest.bytes ?? 0) + trees.bytes,
    pages: [...pages.keys()].sort((a, b) => a - b),
    pieces: pieces.ids.length,
    logRecords: pieces.records,
    choices: choicesId(choices),
    ...source.facts,
  };
  if (previous !== undefined && saysAll(previous, { manifest, pages, pieces: pieces.ids, names }))
    return { line: previous, isNew: false, added: 0, left };
  const tree = await writeTop(objects, { manifest, pages, pieces: pieces.ids, names });
  const seconds = Math.max(0, Math.floor(now.getTime() / 1000));
  const commit = await objects.write(
    'commit',
    encodeHead(manifest, { tree, seconds, parent: previous?.commit }),
  );
  const line = { commit, manifest, checkpoints, parts: partsOf({ pages, pieces: pieces.ids, names }) };
  return { line, isNew: true, added: trees.added, left };
}

// The sent trees.

class SentTrees {
  readonly #job: Job;
  readonly #behind: LeftBehind;
  readonly #copier: SnapshotCopier;
  /**
   * The records that the last push sent, by checkpoint. Empty if the last push used other rules for the paths that are
   * not sent.
   */
  readonly #before: ReadonlyMap<CheckpointId, CheckpointRecord>;
  readonly #left = new Map<string, LeftPath>();
  /** The snapshot of the previous checkpoint (`local`), and the tree that was sent for this checkpoint. */
  #last: { readonly local: SnapshotId; readonly sent: SnapshotId; readonly isWhole: boolean } | undefined;
  #isPrimed = false;
  added = 0;
  /** The total size in bytes of the changed contents that the last head did not have. */
  bytes = 0;

  constructor(job: Job) {
    const { source, choices, objects } = job;
    const previous = job.previous ?? job.imported;
    this.#job = job;
    this.#behind = new LeftBehind(source.store, choices);
    this.#copier = new SnapshotCopier(source.store, {
      spoolDirectory: objects.spoolDirectory,
      hash: (size) => objects.hash(size),
      writer: (signal) => objects.snapshotWriter(signal),
    });
    if (source.store.gitObjects === undefined) this.#copier.remembering(objects.contentsFile);
    const isSame = previous?.manifest.choices === choicesId(choices);
    this.#before = new Map(isSame ? previous.checkpoints.map(({ record }) => [record.id, record]) : []);
  }

  /** All paths that are not sent, without duplicates. */
  get left(): readonly LeftPath[] {
    return [...this.#left.values()];
  }

  /** Returns the id that a content has on the remote, or undefined for a content that is not sent. */
  readonly contentId = (content: Known): Known | undefined =>
    content === 'absent' || this.#isGit ? content : this.#copier.idOf(content);

  get #isGit(): boolean {
    return this.#job.source.store.gitObjects !== undefined;
  }

  async recordToSend(record: CheckpointRecord): Promise<CheckpointRecord> {
    const sent = this.#before.get(record.id);
    if (sent !== undefined) {
      const left = sent.skipped.filter(({ reason }) => reason === 'notSent');
      for (const { path } of left) this.#left.set(path, { path, because: 'earlier' });
      this.#last = { local: record.snapshot, sent: sent.snapshot, isWhole: left.length === 0 };
      return sent;
    }
    const { snapshot, left } = await this.#send(record);
    for (const each of left) this.#left.set(each.path, each);
    this.added += 1;
    this.#last = { local: record.snapshot, sent: snapshot, isWhole: left.length === 0 };
    return asSent(record, snapshot, left);
  }

  async #send(
    record: CheckpointRecord,
  ): Promise<{ readonly snapshot: SnapshotId; readonly left: readonly LeftPath[] }> {
    const { source, signal, objects } = this.#job;
    const { store } = source;
    const { snapshot, rules = {} } = record;
    const last = this.#last;
    const files =
      last === undefined ? await store.entries(snapshot) : await this.#changed(last.local, snapshot);
    for (const size of await store.sizes([...new Set(files.map(({ blob }) => blob))]))
      this.bytes += Math.max(0, size);
    if (last?.isWhole === true && this.#isGit && (await this.#goesWhole(files, record)))
      return { snapshot, left: [] };
    await this.#prime();
    const directory = await store.directory(snapshot);
    const { root, left } = await this.#behind.treeToSend(directory, rules, signal);
    if (!this.#isGit) return { snapshot: await this.#copy(root), left };
    if (left.length === 0) return { snapshot, left };
    const writer = objects.snapshotWriter(signal);
    try {
      return { snapshot: await writer.seal(root), left };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /** Copies a tree into the repository of lines. If the repository has lost a content, copies all contents again. */
  async #copy(root: Directory): Promise<SnapshotId> {
    const { signal } = this.#job;
    let snapshot: SnapshotId;
    try {
      snapshot = await this.#copier.copy(root, signal);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#copier.forget();
      snapshot = await this.#copier.copy(root, signal);
    }
    this.#copier.remember();
    return snapshot;
  }

  async #changed(from: SnapshotId, to: SnapshotId): Promise<Entry[]> {
    return (await this.#job.source.store.changes(from, to)).flatMap(({ after }) => after ?? []);
  }

  /**
   * True when the snapshot can be sent completely. `files` are the only differences between this snapshot and a
   * snapshot that was sent completely.
   */
  async #goesWhole(files: readonly Entry[], { snapshot, rules = {} }: CheckpointRecord): Promise<boolean> {
    const strict = await this.#job.source.store.directoryPermissions(snapshot);
    if ([...strict.keys()].some((path) => path !== rootPath)) return false;
    return this.#behind.goWhole(files, rules, this.#job.signal);
  }

  /** Marks the contents that an earlier push sent, so that this push does not scan them again. */
  async #prime(): Promise<void> {
    if (this.#isPrimed) return;
    this.#isPrimed = true;
    if (this.#last === undefined) return;
    const origins = this.#isGit ? undefined : this.#copier.origins;
    const sent = await this.#job.objects.directory(this.#last.sent);
    this.#behind.recordSent(sent, (blob) => (origins === undefined ? blob : origins.get(blob)));
  }
}

/**
 * Returns the record to send, with the sent snapshot. Among its skipped paths, the record also lists the paths that are
 * not sent.
 */
function asSent(
  {
    idempotency: _key,
    operation: _operation,
    safety: _safety,
    undo: _undo,
    redo: _redo,
    ...record
  }: CheckpointRecord,
  snapshot: SnapshotId,
  left: readonly LeftPath[],
): CheckpointRecord {
  const notSent: SkippedPath[] = left.map(({ path }) => ({ path, reason: 'notSent' }));
  return { ...record, snapshot, skipped: [...record.skipped, ...notSent] };
}

// Pages.

interface Page {
  readonly records: string;
  readonly trees?: string | undefined;
  readonly modes?: string | undefined;
}

async function writePages(
  objects: TravelObjects,
  checkpoints: readonly LineCheckpoint[],
): Promise<Map<number, Page>> {
  const byPage = new Map<number, CheckpointRecord[]>();
  for (const { record } of checkpoints) {
    const page = byPage.get(pageOfSeq(record.seq));
    if (page === undefined) byPage.set(pageOfSeq(record.seq), [record]);
    else page.push(record);
  }
  const pages = new Map<number, Page>();
  for (const [number, records] of byPage) {
    const text = records.map((record) => `${recordText(record, false)}\n`).join('');
    const trees: TreeItem[] = [];
    const modes: TreeItem[] = [];
    for (const { id, snapshot } of records) {
      const parts = partsOfSnapshot(snapshot);
      if (parts.tree !== emptyTree) trees.push({ name: id, mode: '040000', id: parts.tree });
      if (parts.modes !== undefined) modes.push({ name: id, mode: '100644', id: parts.modes });
    }
    pages.set(number, {
      records: await objects.write('blob', Buffer.from(text, 'utf8')),
      trees: await treeOf(objects, trees),
      modes: await treeOf(objects, modes),
    });
  }
  return pages;
}

async function treeOf(objects: TravelObjects, items: readonly TreeItem[]): Promise<string | undefined> {
  return items.length === 0 ? undefined : objects.write('tree', await encodeTree(items));
}

// The conversation.

interface Pieces {
  readonly ids: readonly string[];
  readonly records: number;
}

/**
 * Writes the conversation. Every record keeps its position, because checkpoints refer to positions. A filler replaces
 * each record that is not sent. Omits fillers after the last checkpoint, because they contain nothing new for the
 * remote.
 */
async function writePieces(
  { source, objects, signal }: Job,
  left: readonly LeftPath[],
  contentId: (content: Known) => Known | undefined,
): Promise<Pieces> {
  const ids: string[] = [];
  let lines: string[] = [];
  let [bytes, records, fillers] = [0, 0, 0];
  const close = async (): Promise<void> => {
    if (lines.length > 0) ids.push(await objects.write('blob', Buffer.from(lines.join(''), 'utf8')));
    [lines, bytes] = [[], 0];
  };
  const add = async (line: string): Promise<void> => {
    lines.push(line);
    bytes += line.length;
    records += 1;
    if (bytes >= pieceBytes || lines.length >= pieceRecords) await close();
  };
  const stays = new Set<TreePath>(left.map(({ path }) => path));
  const slices = new Slices(signal);
  for await (const record of source.log()) {
    if (slices.isDue()) await slices.pause();
    const sent = logRecordToSend(record, stays, contentId);
    if (sent === filler) fillers += 1;
    else {
      for (; fillers > 0; fillers -= 1) await add(fillerLine);
      await add(`${JSON.stringify(sent)}\n`);
    }
  }
  let named = 0;
  for (const { record } of source.checkpoints) named = Math.max(named, record.logLength, record.conversation);
  for (let missing = named - records; missing > 0; missing -= 1) await add(fillerLine);
  await close();
  return { ids, records };
}

const filler: LogRecord = { kind: 'lost' };
const fillerLine = `${JSON.stringify(filler)}\n`;

function logRecordToSend(
  record: LogRecord,
  stays: ReadonlySet<TreePath>,
  contentId: (content: Known) => Known | undefined,
): LogRecord {
  if (record.kind === 'descent') return record;
  if (record.kind === 'conversation') {
    const { idempotency: _, ...rest } = record as LogRecord & { readonly idempotency?: unknown };
    return rest;
  }
  if (record.kind !== 'ledger' || !('records' in record)) return filler;
  const records = (record.records as readonly LedgerRecord[]).flatMap((entry) => {
    const content = contentId(entry.content);
    const isLeft = [entry.path, ...ancestors(entry.path)].some((path) => stays.has(path));
    return content === undefined || isLeft ? [] : [{ ...entry, content }];
  });
  return { kind: 'ledger', records } as LogRecord;
}

// The head.

interface Parts {
  readonly manifest: Manifest;
  readonly pages: ReadonlyMap<number, Page>;
  readonly pieces: readonly string[];
  readonly names: string;
}

async function writeTop(objects: TravelObjects, { manifest, pages, pieces, names }: Parts): Promise<string> {
  const top: TreeItem[] = [
    {
      name: 'manifest',
      mode: '100644',
      id: await objects.write('blob', Buffer.from(`${JSON.stringify(manifest)}\n`)),
    },
    { name: 'names', mode: '100644', id: names },
  ];
  const folder = async (name: string, items: readonly TreeItem[]): Promise<void> => {
    const id = await treeOf(objects, items);
    if (id !== undefined) top.push({ name, mode: '040000', id });
  };
  const of = [...pages];
  await folder(
    'records',
    of.map(([page, { records }]) => ({ name: numbered(page), mode: '100644', id: records })),
  );
  for (const kind of ['trees', 'modes'] as const) {
    const items = of.flatMap(([page, parts]): TreeItem[] => {
      const id = parts[kind];
      return id === undefined ? [] : [{ name: numbered(page), mode: '040000', id }];
    });
    await folder(kind, items);
  }
  await folder(
    'conversation',
    pieces.map((id, i) => ({ name: numbered(i), mode: '100644', id })),
  );
  return objects.write('tree', await encodeTree(top));
}

/** Returns the parts in the form that line-reader.ts uses for the parts of a head. */
function partsOf({ pages, pieces, names }: Omit<Parts, 'manifest'>): Map<string, string> {
  const parts = new Map([['names', names]]);
  for (const [page, ids] of pages)
    for (const [folder, id] of Object.entries(ids)) parts.set(`${folder}/${numbered(page)}`, String(id));
  for (const [piece, id] of pieces.entries()) parts.set(`conversation/${numbered(piece)}`, id);
  return parts;
}

/** True when the last head has exactly these pages, pieces and names. */
function saysAll(previous: Line, { manifest, pages, pieces, names }: Parts): boolean {
  const { parts } = previous;
  const before = previous.manifest;
  return (
    before.choices === manifest.choices &&
    before.head === manifest.head &&
    before.pieces === pieces.length &&
    before.pages.length === pages.size &&
    parts.get('names') === names &&
    pieces.every((id, i) => parts.get(`conversation/${numbered(i)}`) === id) &&
    [...pages].every(([page, { records }]) => parts.get(`records/${numbered(page)}`) === records)
  );
}
