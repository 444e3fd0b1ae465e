// Keeps the states of a conversation and the log of the changes. Every mutation is one record, which refers to the
// state before the mutation. The state after each record stays available. This module treats all operations alike and
// does not use checkpoints. A checkpoint stores a ConversationRef, which is a position in the log.
import { CheckpointdError } from '../../base/errors.ts';
import { type ImportRest, joinImport, type Part } from '../document/import-parts.ts';
import {
  applyChange,
  type ConversationSettings,
  defaultSettings,
  emptyThread,
  type Moment,
  type StateChange,
  type Thread,
} from '../state/state.ts';
import type { LogRecord, RecordLog } from './session-log.ts';

/** A reference to a state of a conversation: the position of the record that made the state. 0 is the initial state. */
export type ConversationRef = number;

/**
 * The session's data for a mutation: the client's key and a fingerprint of the request. This module only stores the
 * data.
 */
export type Idempotency = Readonly<Record<string, unknown>>;

export interface Keyed {
  readonly idempotency?: Idempotency | undefined;
}

/**
 * The steps of an import (import-parts.ts). Each `importPart` only adds data, and the final `import` makes
 * the data valid.
 */
type ImportStep =
  | { readonly op: 'importPart'; readonly part: Part }
  | { readonly op: 'import'; readonly parts: readonly number[]; readonly rest: ImportRest };

/**
 * A record that changes no data. This record says that the head is at the record's parent, and overrides all earlier
 * records about the head.
 */
interface HeadStep {
  readonly op: 'settle';
}

interface ConversationRecord extends LogRecord {
  readonly kind: 'conversation';
  /** The state before this record. After a rewind, this is not the state of the preceding record in the log. */
  readonly parent: ConversationRef;
  readonly operation: StateChange | ImportStep | HeadStep;
  /** True when the record adds a state but does not move the head. A later checkpoint moves the head. */
  readonly isProposed?: true;
  /**
   * The data that the session stored with the mutation, and the result of the mutation. A client that repeats the key
   * gets this result again.
   */
  readonly idempotency?: (Idempotency & { readonly result: unknown }) | undefined;
}

function isConversationRecord(record: LogRecord): record is ConversationRecord {
  return record.kind === 'conversation';
}

interface State {
  readonly parent: ConversationRef;
  readonly thread: Thread;
  readonly status: 'follows' | 'proposed' | 'recorded';
}

export class Timeline {
  readonly #log: RecordLog;
  readonly #states = new Map<ConversationRef, State>([
    [0, { parent: 0, thread: emptyThread, status: 'follows' }],
  ]);
  #settings: ConversationSettings = defaultSettings;
  #head: ConversationRef = 0;
  #parts = new Map<number, Part>();

  constructor(log: RecordLog) {
    this.#log = log;
  }

  /** The reference to the current state. A checkpoint stores this reference. */
  get head(): ConversationRef {
    return this.#head;
  }

  get present(): Moment {
    return { thread: this.threadAt(this.#head), settings: this.#settings };
  }

  /** Returns the thread at `ref`, without copying it. @throws DataCorrupt for a position without a state */
  threadAt(ref: ConversationRef): Thread {
    const state = this.#states.get(ref);
    if (state !== undefined) return state.thread;
    throw new CheckpointdError(
      'DataCorrupt',
      `The log of this session has no conversation at position ${ref}. The log was cut, or belongs to another session. To keep the conversation, restore with scope "files".`,
      { details: { position: ref, logLength: this.#log.length } },
    );
  }

  /**
   * Performs an operation: computes the new state, logs the operation in one write, and then makes the new state
   * visible. If the log refuses the record, the conversation does not change. `resultOf` makes the result. If
   * `idempotency` is given, the record also contains the result.
   */
  commit<R>(
    operation: StateChange,
    resultOf: (before: Moment, after: Moment) => R,
    idempotency?: Idempotency,
  ): R {
    const before = this.present;
    const after = applyChange(before, operation);
    const result = resultOf(before, after);
    const position = this.#append(operation, idempotency, result);
    this.#show(position, after);
    return result;
  }

  /**
   * Logs an operation that takes effect only when the head moves to the returned position. Publishing a checkpoint with
   * this position commits files and conversation together. Before the publication, the conversation is unchanged.
   */
  propose(operation: StateChange): ConversationRef {
    const after = applyChange(this.present, operation);
    const position = this.#log.append({ ...this.#record(operation), isProposed: true } as LogRecord);
    this.#states.set(position, { parent: this.#head, thread: after.thread, status: 'proposed' });
    return position;
  }

  /**
   * Logs the position of the head. With this record, a replay finds the head even without the checkpoint that moved the
   * head. Call this method before the removal of such a checkpoint, and after a move of the head without a checkpoint.
   */
  recordHead(): void {
    const after = this.present;
    this.#show(this.#append({ op: 'settle' }), after, 'recorded');
  }

  /** Logs a part of an import, and returns the position of the record. The head does not move. */
  addPart(part: Part): number {
    const position = this.#append({ op: 'importPart', part });
    this.#parts.set(position, part);
    return position;
  }

  /** Makes the parts of an import valid, with one record. */
  commitImport<R>(parts: readonly number[], rest: ImportRest, result: R, idempotency?: Idempotency): R {
    const after = this.#joined(parts, rest);
    const position = this.#append({ op: 'import', parts, rest }, idempotency, result);
    this.#show(position, after);
    return result;
  }

  /** Moves the head in memory. The move becomes durable when the session publishes a checkpoint. @throws DataCorrupt */
  rewind(ref: ConversationRef): void {
    this.threadAt(ref);
    this.#head = ref;
  }

  /** Applies a record of the log. The caller passes all records in order when it reopens the session. Ignores records of other kinds. */
  replay(position: number, record: LogRecord): void {
    if (!isConversationRecord(record)) return;
    const { operation, parent } = record;
    if (operation.op === 'importPart') {
      this.#parts.set(position, operation.part);
      return;
    }
    const before = { thread: this.threadAt(parent), settings: this.#settings };
    if (record.isProposed === true) {
      const { thread } = this.#after(before, operation);
      this.#states.set(position, { parent, thread, status: 'proposed' });
      return;
    }
    this.#head = parent;
    this.#show(position, this.#after(before, operation), operation.op === 'settle' ? 'recorded' : 'follows');
  }

  #after(before: Moment, operation: Exclude<ConversationRecord['operation'], { op: 'importPart' }>): Moment {
    if (operation.op === 'settle') return before;
    if (operation.op === 'import') return this.#joined(operation.parts, operation.rest);
    return applyChange(before, operation);
  }

  /**
   * Finds the head after the replay. `ref` is the position in the newest checkpoint, and `logLength` is the length of
   * the log when this checkpoint was published. Follows the chain of records above `logLength` that begins at `ref`
   * or at the newest record of the head. The newest record of this chain is the head. If the chain is empty, the head
   * is `ref`.
   */
  restoreHead(ref: ConversationRef, logLength: number): void {
    let chained = new Set([ref]);
    let head = ref;
    for (const [position, { parent, status }] of this.#states) {
      if (position <= logLength || status === 'proposed') continue;
      if (status === 'recorded') chained = new Set([position]);
      else if (chained.has(parent)) chained.add(position);
      else continue;
      head = position;
    }
    // Checks only the final head. The state at `ref` may be lost, but it is not needed if a later record names the
    // head.
    this.threadAt(head);
    this.#head = head;
  }

  #append(operation: ConversationRecord['operation'], idempotency?: Idempotency, result?: unknown): number {
    return this.#log.append(this.#record(operation, idempotency, result));
  }

  #record(
    operation: ConversationRecord['operation'],
    idempotency?: Idempotency,
    result?: unknown,
  ): ConversationRecord {
    return {
      kind: 'conversation',
      parent: this.#head,
      operation,
      idempotency: idempotency && { ...idempotency, result },
    };
  }

  #show(position: number, after: Moment, status: State['status'] = 'follows'): void {
    this.#states.set(position, { parent: this.#head, thread: after.thread, status });
    this.#settings = after.settings;
    this.#head = position;
    this.#parts.clear();
  }

  #joined(positions: readonly number[], rest: ImportRest): Moment {
    const parts = positions.map((position) => {
      const part = this.#parts.get(position);
      if (part !== undefined) return part;
      throw new CheckpointdError(
        'DataCorrupt',
        `The log of this session has lost a part of an imported conversation (position ${position}). Import the document again into a new session.`,
        { details: { position } },
      );
    });
    return joinImport(parts, rest);
  }
}
