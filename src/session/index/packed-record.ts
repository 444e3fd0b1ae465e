// A stored checkpoint as bytes and back: what the index keeps of each in memory. A hundred and fifty bytes instead of
// two kilobytes of objects, because a session may have ten thousand. Never written to disk: the store has its own form.
import type { CheckpointId, SnapshotId, Tag } from '../../base/ids.ts';
import { PackedBytes, type PackReader, PackWriter } from '../../base/packing.ts';
import type { CheckpointKind, CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';
import { PackedStacks } from './packed-stacks.ts';

const kinds: readonly CheckpointKind[] = ['turn', 'tool', 'safety', 'restore'];
const scopes = ['files', 'conversation', 'both'] as const;

/** What checkpoints that follow each other share, nearly or wholly. */
export class SharedParts {
  readonly undo = new PackedStacks();
  readonly redo = new PackedStacks();
  /** Lists of paths and whatever else is rare, as JSON: a capture leaves out what the one before left out. */
  readonly rare = new SharedTexts();
}

class SharedTexts {
  readonly #bytes = new PackedBytes();
  readonly #writer = new PackWriter();
  #last: string | undefined;
  #address = 0;

  put(text: string): number {
    if (text === this.#last) return this.#address;
    this.#writer.text(text);
    this.#last = text;
    this.#address = this.#bytes.add(this.#writer);
    return this.#address;
  }

  get(address: number): string {
    return this.#bytes.reader(address).text();
  }
}

/** Which optional fields there are, as bits. */
const has = {
  madeAs: 1,
  parent: 2,
  toolName: 4,
  inTangent: 8,
  restored: 16,
  safety: 32,
  scope: 64,
  undo: 128,
  redo: 256,
  operation: 512,
  /** It bears a tag, and the one that it was made as. */
  sameTag: 2048,
  otherTag: 4096,
  name: 8192,
  message: 16_384,
  rare: 32_768,
  idempotency: 65_536,
} as const;

/** Appends a checkpoint; see {@link unpackCheckpoint}. Its id and its commit come first. */
export function packCheckpoint(to: PackWriter, stored: StoredCheckpoint, shared: SharedParts): void {
  const { record, tag, name, commit } = stored;
  const { id, seq, timestamp, kind, madeAs, parent, description, toolName, message, ...more } = record;
  const { snapshot, conversation, logLength, historyLength, currentTurn, toolsInTurn, ...fewer } = more;
  const { inTangent, restored, safety, scope, undo, redo, operation, idempotency, skipped, ...others } =
    fewer;
  const rare = JSON.stringify({ ...others, ...(skipped.length === 0 ? {} : { skipped }) });
  const otherTag = tag !== undefined && tag !== madeAs;
  to.text(id);
  to.digits(commit ?? '');
  to.integer(
    (madeAs === undefined ? 0 : has.madeAs) +
      (parent === undefined ? 0 : has.parent) +
      (toolName === undefined ? 0 : has.toolName) +
      (inTangent === true ? has.inTangent : 0) +
      (restored === undefined ? 0 : has.restored) +
      (safety === undefined ? 0 : has.safety) +
      (scope === undefined ? 0 : has.scope) +
      (undo === undefined ? 0 : has.undo) +
      (redo === undefined ? 0 : has.redo) +
      (operation === undefined ? 0 : has.operation) +
      (tag !== undefined && !otherTag ? has.sameTag : 0) +
      (otherTag ? has.otherTag : 0) +
      (name === undefined ? 0 : has.name) +
      (message === '' ? 0 : has.message) +
      (rare === '{}' ? 0 : has.rare) +
      (idempotency === undefined ? 0 : has.idempotency),
  );
  to.integer(seq);
  to.integer(kinds.indexOf(kind));
  packTime(to, timestamp);
  to.text(description);
  to.digits(snapshot);
  for (const figure of [conversation, logLength, historyLength, currentTurn, toolsInTurn]) to.integer(figure);
  for (const text of [madeAs, parent, toolName, restored, safety]) if (text !== undefined) to.text(text);
  if (scope !== undefined) to.integer(scopes.indexOf(scope));
  if (undo !== undefined) to.integer(shared.undo.put(undo));
  if (redo !== undefined) to.integer(shared.redo.put(redo));
  if (operation !== undefined) to.text(operation);
  if (otherTag) to.text(tag);
  if (name !== undefined) to.text(name);
  if (message !== '') to.text(message);
  if (rare !== '{}') to.integer(shared.rare.put(rare));
  if (idempotency !== undefined) to.text(JSON.stringify(idempotency));
}

/** The id, with which the bytes of a checkpoint begin. */
export function idOf(from: PackReader): CheckpointId {
  return from.text() as CheckpointId;
}

/** The commit of the checkpoint that begins here, if it has one. */
export function commitOf(from: PackReader): string | undefined {
  idOf(from);
  return readCommit(from);
}

function readCommit(from: PackReader): string | undefined {
  const commit = from.digits();
  return commit === '' ? undefined : commit;
}

/** The checkpoint that was packed. */
export function unpackCheckpoint(from: PackReader, shared: SharedParts): StoredCheckpoint {
  const id = idOf(from);
  const commit = readCommit(from);
  const fields = from.integer();
  const optional = <T>(bit: number, read: () => T): T | undefined =>
    (fields & bit) === 0 ? undefined : read();
  const text = (): string => from.text();
  const idText = (): CheckpointId => from.text() as CheckpointId;
  const tagText = (): Tag => from.text() as Tag;
  const head = {
    id,
    seq: from.integer(),
    kind: kinds[from.integer()] ?? 'turn',
    timestamp: unpackTime(from),
    description: from.text(),
    snapshot: from.digits() as SnapshotId,
    conversation: from.integer(),
    logLength: from.integer(),
    historyLength: from.integer(),
    currentTurn: from.integer(),
    toolsInTurn: from.integer(),
  };
  const madeAs = optional(has.madeAs, tagText);
  const named = {
    madeAs,
    parent: optional(has.parent, idText),
    toolName: optional(has.toolName, text),
    restored: optional(has.restored, idText),
    safety: optional(has.safety, idText),
    scope: optional(has.scope, () => scopes[from.integer()]),
    undo: optional(has.undo, () => shared.undo.get(from.integer())),
    redo: optional(has.redo, () => shared.redo.get(from.integer())),
    operation: optional(has.operation, text),
    inTangent: optional(has.inTangent, () => true),
  };
  const tag = (fields & has.sameTag) === 0 ? optional(has.otherTag, tagText) : madeAs;
  const name = optional(has.name, text);
  const message = optional(has.message, text) ?? '';
  const rare = optional(
    has.rare,
    () => JSON.parse(shared.rare.get(from.integer())) as Partial<CheckpointRecord>,
  );
  const idempotency = optional(
    has.idempotency,
    () => JSON.parse(from.text()) as CheckpointRecord['idempotency'],
  );
  const record = { ...head, message, skipped: [], ...present({ ...named, idempotency }), ...rare };
  return { record, ...present({ tag, name, commit }) };
}

/** RFC 3339 with milliseconds is a number; anything else stays a text. */
function packTime(to: PackWriter, timestamp: string): void {
  const ms = Date.parse(timestamp);
  const isUsual = ms > 0 && new Date(ms).toISOString() === timestamp;
  to.integer(isUsual ? ms : 0);
  if (!isUsual) to.text(timestamp);
}

function unpackTime(from: PackReader): string {
  const ms = from.integer();
  return ms === 0 ? from.text() : new Date(ms).toISOString();
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The same without what is undefined: an optional field is absent, not undefined. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
