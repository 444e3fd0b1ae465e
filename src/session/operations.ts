// Remembers the outcome of each mutation that a client requested. If a client repeats the key of a request, the client
// gets the answer to the first request. After a lost connection, operation/get reports the outcome. The outcomes are in
// the session's log, so they exist as long as the session. This module decides nothing about the operations themselves.
import { createHash } from 'node:crypto';
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { newOperationId, type OperationId } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { LogRecord, RecordLog } from '../conversation/log/session-log.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';

/**
 * The traces of an operation whose process died before it could answer: the published checkpoint, or the effect in the
 * log.
 */
export interface EarlierEffect {
  readonly checkpoint?: string | undefined;
  readonly effect?: unknown;
}

interface OperationRequest {
  readonly method: string;
  readonly key?: string | undefined;
  readonly params: unknown;
}

/**
 * A client's key, as the session's log records it. The key has a record of its own, or is in the record of the effect.
 */
interface LoggedKey {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** A separate record of a key and its answer, written after the effect. */
interface LoggedOperation extends LogRecord, LoggedKey {
  readonly kind: 'operation';
  readonly result: unknown;
}

/**
 * A record that is written before one of these effects: a checkpoint is removed or named, or checkpoints are enabled.
 * Such an effect has no log record of its own. After a kill, the next daemon looks at the existing checkpoints to find
 * out whether the effect took place.
 */
interface LoggedIntention extends LogRecord, LoggedKey {
  readonly kind: 'intention';
  readonly intended: Intended;
  /**
   * True in a second record, which is written after the effect if a later change of the checkpoints could hide the
   * effect.
   */
  readonly isDone?: true;
}

/** The record of a change of the conversation or of the ledger, with the key of its request. */
interface LoggedEffect extends LogRecord {
  readonly kind: 'conversation' | 'ledger';
  /** The client's key, and the logged effect. The daemon can make the client's answer from this effect. */
  readonly idempotency?: LoggedKey & { readonly result: unknown };
}

type Id = CheckpointRecord['id'];

export type Intended =
  | { readonly removes: Id }
  | { readonly renames: Id; readonly name?: string | undefined }
  /** One step of a store/gc: the checkpoints that this step removes. Further steps may follow. */
  | { readonly collects: readonly Id[] }
  /** A checkpoint/clean, which removes all checkpoints. `cleans` is the head just before the removal. */
  | { readonly cleans: Id; readonly removed: number }
  /**
   * A checkpoint/init of a session that already has checkpoints. If the request makes a new base, the base's record
   * contains the key instead.
   */
  | { readonly enables: true };

/** Returns the effect that a record intended, or undefined when this effect did not take place. */
function outcomeOf(
  { intended, isDone }: LoggedIntention,
  checkpoints: readonly StoredCheckpoint[],
): Partial<OperationEntry> | undefined {
  const isThere = (id: Id): boolean => checkpoints.some(({ record }) => record.id === id);
  if ('removes' in intended)
    return isThere(intended.removes) ? undefined : { result: JSON.stringify({ deleted: intended.removes }) };
  if ('collects' in intended)
    return intended.collects.some(isThere) ? undefined : { effect: intended.collects.length };
  if ('cleans' in intended)
    return isDone !== true && isThere(intended.cleans) ? undefined : { effect: intended.removed };
  if ('enables' in intended) return checkpoints.length > 0 ? { effect: true } : undefined;
  const renamed = checkpoints.find(({ record }) => record.id === intended.renames);
  return renamed !== undefined && renamed.name === intended.name
    ? { checkpoint: intended.renames }
    : undefined;
}

interface OperationFate {
  readonly operation: OperationId;
  readonly method: string;
  readonly state: 'running' | 'committed' | 'failed';
  readonly key?: string | undefined;
  /** The first answer. For an operation of an earlier process, the logged effect. Absent when neither is known. */
  readonly result?: unknown;
  /** The checkpoint that the operation published. May be present when `result` is absent. */
  readonly checkpoint?: string | undefined;
  readonly error?: { readonly kind: ErrorKind | 'RequestCancelled'; readonly message: string } | undefined;
}

/** One operation. An entry must be small, because a session remembers thousands of operations. */
interface OperationEntry {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string | undefined;
  /** The fingerprint of the request. Empty for a request without a key. */
  readonly fingerprint: string;
  state: OperationFate['state'];
  /** The answer as JSON. */
  result?: string | undefined;
  checkpoint?: string | undefined;
  error?: OperationFate['error'];
  effect?: unknown;
  pending?: Promise<unknown> | undefined;
}

function committed(
  { operation, method, key, fingerprint }: LoggedKey,
  left: Partial<OperationEntry>,
): OperationEntry {
  return { operation, method, key, fingerprint, state: 'committed', ...left };
}

const remembered = 1000;
/**
 * The maximum size in bytes of the stored answers of requests without a key. The newest answer is kept even if it is
 * larger than this limit.
 */
const resultBytesMax = 128 * 1024;

export class OperationRecords {
  readonly #log: Pick<RecordLog, 'append'> | undefined;
  readonly #byOperation = new Map<string, OperationEntry>();
  readonly #byKey = new Map<string, OperationEntry>();
  /**
   * The effects that requests of an earlier process intended, by key. Once the checkpoints have been read, they show
   * whether the effects took place.
   */
  readonly #intentions = new Map<string, LoggedIntention>();
  /** The operations without a key, oldest first. The session may forget them. */
  readonly #unkeyed = new Set<OperationEntry>();
  /** The entries with an answer, oldest first. */
  readonly #answered = new Set<OperationEntry>();
  #resultBytes = 0;

  /** Reads the logged outcomes. Without a log, the outcomes are lost when the process ends. */
  constructor(log?: Pick<RecordLog, 'append'>, logged: readonly LogRecord[] = []) {
    this.#log = log;
    for (const record of logged)
      this.#replayRecord(record as LoggedOperation | LoggedIntention | LoggedEffect);
  }

  /**
   * Adds the answer that another process logged. Does nothing if this process knows the key and the key's request has
   * not failed.
   */
  replay(record: LogRecord): void {
    const known = this.#byKey.get((record as LoggedOperation).key);
    if (known === undefined || known.state === 'failed') this.#replayRecord(record as LoggedOperation);
  }

  #replayRecord(record: LoggedOperation | LoggedIntention | LoggedEffect): void {
    if (record.kind === 'operation')
      this.#remember(committed(record, { result: JSON.stringify(record.result) }));
    else if (record.kind === 'intention') {
      // If the record does not say whether the effect took place, the checkpoints will show this later.
      if (record.isDone === true) this.#rememberDone(record, []);
      else this.#intentions.set(record.key, record);
    } else if (record.kind === 'conversation' || record.kind === 'ledger') {
      const { idempotency } = record;
      if (idempotency !== undefined) this.#remember(committed(idempotency, { effect: idempotency.result }));
    }
  }

  /** Logs the intended effect of a request with a key. With `isDone`, logs that the effect took place. */
  intend(stamp: OperationContext['stamp'], intended: Intended, isDone?: 'isDone'): void {
    this.#append(stamp, 'intention', { intended, isDone: isDone && (true as const) });
  }

  /**
   * Logs an answer, so that a request that repeats the key gets this answer even after a restart. Used for effects
   * without a log record of their own. @throws NoSpace, StoreUnavailable: then only this process knows the answer
   */
  keep(stamp: OperationContext['stamp'], result: unknown): void {
    this.#append(stamp, 'operation', { result });
  }

  #append({ idempotency }: OperationContext['stamp'], kind: string, more: object): void {
    if (idempotency !== undefined) this.#log?.append({ kind, ...idempotency, ...more });
  }

  #rememberDone(intention: LoggedIntention, checkpoints: readonly StoredCheckpoint[]): void {
    const outcome = this.#byKey.has(intention.key) ? undefined : outcomeOf(intention, checkpoints);
    if (outcome !== undefined) this.#remember(committed(intention, outcome));
  }

  /**
   * Searches the published checkpoints for the keys of requests. Such a request took effect even if no answer to it was
   * logged.
   */
  learn(checkpoints: readonly StoredCheckpoint[]): void {
    for (const { record } of checkpoints) {
      const { idempotency } = record;
      if (idempotency === undefined) continue;
      const known = this.#byKey.get(idempotency.key);
      // The client may have repeated a failed request. While the repeated request waited, recovery may have finished
      // the operation of the first request.
      if (known?.state === 'committed') continue;
      const operation = idempotency.operation as OperationId;
      const method =
        idempotency.method ?? (record.kind === 'restore' ? 'checkpoint/restore' : 'checkpoint/create');
      const entry = committed({ ...idempotency, operation, method }, { checkpoint: record.id });
      if (known?.state === 'running') {
        known.checkpoint = record.id;
        this.#byOperation.set(operation, entry);
      } else this.#remember(entry);
    }
    for (const intention of this.#intentions.values()) this.#rememberDone(intention, checkpoints);
    this.#intentions.clear();
  }

  /** Returns the effect of the first request with the key, if recovery has finished that request. */
  finishedBefore({ idempotency }: OperationContext['stamp']): EarlierEffect | undefined {
    const running = idempotency === undefined ? undefined : this.#byKey.get(idempotency.key);
    return running?.checkpoint === undefined ? undefined : { checkpoint: running.checkpoint };
  }

  /** Returns the outcome of the operation with this id or this key. */
  find(name: string): OperationFate | undefined {
    const entry = this.#byOperation.get(name) ?? this.#byKey.get(name);
    if (entry === undefined) return undefined;
    const { operation, method, state, key, checkpoint, error } = entry;
    return {
      operation,
      method,
      state,
      key,
      checkpoint,
      error,
      result: resultOf(entry) ?? entry.effect,
    };
  }

  /**
   * Runs `work` only once per key. A request that repeats the key gets the first answer with `replayed: true`.
   *
   * If the first answer was lost because the process died, `rebuild` makes the answer from the traces of the effect.
   * @throws IdempotencyConflict when the key was used for another request.
   */
  async run<R extends object>(
    request: OperationRequest,
    work: (stamp: OperationContext['stamp']) => Promise<R>,
    rebuild: (earlier: EarlierEffect) => Promise<R>,
  ): Promise<R & { readonly replayed?: boolean }> {
    const fingerprint = request.key === undefined ? '' : fingerprintOf(request.method, request.params);
    const known = request.key === undefined ? undefined : this.#byKey.get(request.key);
    if (known !== undefined && known.state !== 'failed') return this.#replay(known, fingerprint, rebuild);
    const operation = newOperationId();
    const { method, key } = request;
    const idempotency = key === undefined ? undefined : { key, fingerprint, operation, method };
    const pending = work({ operation, idempotency });
    const entry: OperationEntry = { operation, method, key, fingerprint, state: 'running', pending };
    this.#remember(entry);
    try {
      const result = await pending;
      this.#answer(entry, inOnePiece(JSON.stringify(result)));
      return result;
    } catch (error) {
      entry.state = 'failed';
      entry.error = describe(error);
      throw naming(operation, error);
    } finally {
      entry.pending = undefined; // a stored promise would keep the whole answer in memory
    }
  }

  #answer(entry: OperationEntry, result: string): void {
    entry.state = 'committed';
    entry.result = result;
    if (entry.key !== undefined) return;
    this.#answered.add(entry);
    this.#resultBytes += result.length;
    for (const old of this.#answered) {
      if (this.#resultBytes <= resultBytesMax || old === entry) return;
      this.#answered.delete(old);
      this.#resultBytes -= forgetResult(old);
    }
  }

  async #replay<R extends object>(
    entry: OperationEntry,
    fingerprint: string,
    rebuild: (earlier: EarlierEffect) => Promise<R>,
  ): Promise<R> {
    if (entry.fingerprint !== fingerprint) {
      throw new CheckpointdError(
        'IdempotencyConflict',
        'This idempotencyKey was used for a different request. Use a new key for a new request.',
        { details: { operationId: entry.operation } },
      );
    }
    if (entry.state === 'running') return { ...((await entry.pending) as R), replayed: true };
    const { operation, checkpoint, effect } = entry;
    const result = resultOf(entry);
    if (result !== undefined) return { ...(result as R), replayed: true };
    const earlier = { effect, checkpoint };
    return { ...(await rebuild(earlier)), operation, replayed: true };
  }

  #remember(entry: OperationEntry): void {
    this.#byOperation.set(entry.operation, entry);
    if (entry.key !== undefined) this.#byKey.set(entry.key, entry);
    else this.#unkeyed.add(entry);
    if (this.#unkeyed.size <= remembered) return;
    // Forgets the oldest operations without a key. Operations with a key stay, because the daemon promises to remember
    // them.
    for (const old of this.#unkeyed) {
      if (old.state === 'running') continue;
      this.#unkeyed.delete(old);
      this.#byOperation.delete(old.operation);
      if (this.#answered.delete(old)) this.#resultBytes -= forgetResult(old);
      return;
    }
  }
}

function resultOf({ result }: OperationEntry): unknown {
  return result === undefined ? undefined : JSON.parse(result);
}

/** Forgets the answer of an entry but not its published checkpoint. Returns the size of the answer in bytes. */
function forgetResult(entry: OperationEntry): number {
  const answer = resultOf(entry) as { readonly checkpoint?: { readonly id?: string } | null } | undefined;
  entry.checkpoint ??= answer?.checkpoint?.id;
  const bytes = entry.result?.length ?? 0;
  entry.result = undefined;
  return bytes;
}

/**
 * Returns a flat copy of a text. Without a copy, a short text that was cut from a larger text may keep the larger text
 * in memory.
 */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** Returns a hash of the method and its parameters, except for the key and the progress token. */
function fingerprintOf(method: string, params: unknown): string {
  const relevant = JSON.stringify([method, params], (key, value: unknown) => {
    if (key === 'idempotencyKey' || key === 'workDoneToken' || key === '_meta') return undefined;
    if (!isObject(value)) return value;
    // Sorts the fields, because a restarted client may send them in a different order: for example, tables in Lua have
    // no order.
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash('sha256').update(relevant).digest().toString('hex', 0, 16);
}

/** Adds the operation's id to an error, so that a client can ask for the outcome. */
function naming(operation: OperationId, error: unknown): unknown {
  if (!(error instanceof CheckpointdError) || error.details?.operationId !== undefined) return error;
  const { kind, message, effects, retryable } = error;
  const details = { ...error.details, operationId: operation };
  return new CheckpointdError(kind, message, { details, cause: error, effects, retryable });
}

function describe(error: unknown): NonNullable<OperationFate['error']> {
  if (error instanceof CheckpointdError) return { kind: error.kind, message: error.message };
  return {
    kind: error instanceof Error && error.name === 'AbortError' ? 'RequestCancelled' : 'InternalError',
    message: 'The operation failed.',
  };
}
