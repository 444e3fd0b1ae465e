// Remembers the outcome of each mutation that a client asked for: a repeated key gets the first answer, and
// operation/get reports it after the connection died. It is stored with the session's log, so it survives the process
// if the session does. It never runs an operation.
import { createHash } from 'node:crypto';
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { given } from '../base/given.ts';
import { newOperationId, type OperationId } from '../base/ids.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { LogRecord, RecordLog } from '../conversation/log/session-log.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';

/** The remainder of an effect whose answer was lost with the process: the published checkpoint, or its own answer. */
export interface EarlierEffect {
  readonly checkpoint?: string;
  readonly effect?: unknown;
}

interface OperationRequest {
  readonly method: string;
  readonly key?: string;
  readonly params: unknown;
}

/** A client's key in the session's log, in a record of its own or in the record of its effect. */
interface LoggedKey {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** A record of its own, after the effect. */
interface LoggedOperation extends LogRecord, LoggedKey {
  readonly kind: 'operation';
  readonly result: unknown;
}

/**
 * A record before an effect that cannot carry the key itself: removals, names, switching checkpoints on. The checkpoints
 * that are there tell afterwards whether the effect took place, so that a key and its effect are one also when the
 * process dies between the two.
 */
interface LoggedIntention extends LogRecord, LoggedKey {
  readonly kind: 'intention';
  readonly intended: Intended;
  /** Logged again with this once it had taken place, where the checkpoints could not tell for ever. */
  readonly isDone?: true;
}

/** The record of a change of the conversation or of the ledger, with the key that it was asked under. */
interface LoggedEffect extends LogRecord {
  readonly kind: 'conversation' | 'ledger';
  /** `result` is what the effect answered, from which the wire's answer is made again. */
  readonly idempotency?: LoggedKey & { readonly result: unknown };
}

type Id = CheckpointRecord['id'];

export type Intended =
  | { readonly removes: Id }
  | { readonly renames: Id; readonly name?: string }
  /** store/gc, which removes these in one step, and more in later ones. */
  | { readonly collects: readonly Id[] }
  /** checkpoint/clean: `head` goes with all the others. */
  | { readonly cleans: Id; readonly removed: number }
  /** A checkpoint/init of a session that has checkpoints. A new base carries the key itself. */
  | { readonly enables: true };

/** Returns the effect of an intention; undefined when the operation did not take place. */
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
  readonly key?: string;
  /** The answer that was given, or (of an earlier process) what the effect was; absent when only that is known. */
  readonly result?: unknown;
  /** The checkpoint that the operation published, known even then. */
  readonly checkpoint?: string;
  readonly error?: { readonly kind: ErrorKind | 'RequestCancelled'; readonly message: string };
}

/** One operation, in as little memory as its answer allows: there are thousands of them. */
interface OperationEntry {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string | undefined;
  /** The request's key; '' without one. */
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
/** The limit for all answers to requests without a key together. The newest is kept even if it is longer. */
const resultBytesMax = 128 * 1024;

export class OperationRecords {
  readonly #log: Pick<RecordLog, 'append'> | undefined;
  readonly #byOperation = new Map<string, OperationEntry>();
  readonly #byKey = new Map<string, OperationEntry>();
  /** The intentions of an earlier process, by key; judged when the checkpoints are known. */
  readonly #intentions = new Map<string, LoggedIntention>();
  /** Keys that the session may forget, oldest first. */
  readonly #unkeyed = new Set<OperationEntry>();
  /** The entries whose answer is kept, oldest first. */
  readonly #answered = new Set<OperationEntry>();
  #resultBytes = 0;

  /** Without a log it remembers as long as the process lives. */
  constructor(log?: Pick<RecordLog, 'append'>, logged: readonly LogRecord[] = []) {
    this.#log = log;
    for (const record of logged)
      this.#replayRecord(record as LoggedOperation | LoggedIntention | LoggedEffect);
  }

  /** Learns the answer that another process logged, unless the key is known. */
  replay(record: LogRecord): void {
    const known = this.#byKey.get((record as LoggedOperation).key);
    if (known === undefined || known.state === 'failed') this.#replayRecord(record as LoggedOperation);
  }

  #replayRecord(record: LoggedOperation | LoggedIntention | LoggedEffect): void {
    if (record.kind === 'operation')
      this.#remember(committed(record, { result: JSON.stringify(record.result) }));
    else if (record.kind === 'intention') {
      // Judged when the checkpoints are known, unless it says itself that it took place.
      if (record.isDone === true) this.#rememberDone(record, []);
      else this.#intentions.set(record.key, record);
    } else if (record.kind === 'conversation' || record.kind === 'ledger') {
      const { idempotency } = record;
      if (idempotency !== undefined) this.#remember(committed(idempotency, { effect: idempotency.result }));
    }
  }

  /** Logs what is about to be done under a key; with `isDone` that it has been. */
  intend(stamp: OperationContext['stamp'], intended: Intended, isDone?: 'isDone'): void {
    this.#append(stamp, 'intention', { intended, ...given({ isDone: isDone && (true as const) }) });
  }

  /**
   * Logs an answer, so that its key gets it again after a restart too. For an effect that has no record of its own in
   * which the key could be. @throws NoSpace, StoreUnavailable: then this process alone knows the answer
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

  /** Learns from published checkpoints which keys took effect although no answer was logged. */
  learn(checkpoints: readonly StoredCheckpoint[]): void {
    for (const { record } of checkpoints) {
      const { idempotency } = record;
      if (idempotency === undefined) continue;
      const known = this.#byKey.get(idempotency.key);
      // A failed operation may have been finished since, by recovery, while a repeat of it waited for that.
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

  /** Returns the effect that recovery has finished for the first request with the key, if any. */
  finishedBefore({ idempotency }: OperationContext['stamp']): EarlierEffect | undefined {
    const running = idempotency === undefined ? undefined : this.#byKey.get(idempotency.key);
    return running?.checkpoint === undefined ? undefined : { checkpoint: running.checkpoint };
  }

  /** The fate of an operation by its id or its key. */
  find(name: string): OperationFate | undefined {
    const entry = this.#byOperation.get(name) ?? this.#byKey.get(name);
    if (entry === undefined) return undefined;
    const { operation, method, state, key, checkpoint, error } = entry;
    return {
      operation,
      method,
      state,
      ...given({ key, checkpoint, error, result: resultOf(entry) ?? entry.effect }),
    };
  }

  /**
   * Runs `work` once per key: a repeat gets the first answer with `replayed: true`.
   *
   * `rebuild` makes the answer again from what is left of the effect when the process died since.
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
    const pending = work({ operation, ...given({ idempotency }) });
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
      entry.pending = undefined; // it would keep the whole answer
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
    const earlier = { effect, ...given({ checkpoint }) };
    return { ...(await rebuild(earlier)), operation, replayed: true };
  }

  #remember(entry: OperationEntry): void {
    this.#byOperation.set(entry.operation, entry);
    if (entry.key !== undefined) this.#byKey.set(entry.key, entry);
    else this.#unkeyed.add(entry);
    if (this.#unkeyed.size <= remembered) return;
    // Only operations without a key are forgotten, the oldest first. A key is a promise.
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

/** Forgets the answer; what it published stays known. Returns the bytes that it took. */
function forgetResult(entry: OperationEntry): number {
  const answer = resultOf(entry) as { readonly checkpoint?: { readonly id?: string } | null } | undefined;
  entry.checkpoint ??= answer?.checkpoint?.id;
  const bytes = entry.result?.length ?? 0;
  entry.result = undefined;
  return bytes;
}

/** Returns a flat copy of a text, which does not keep the larger texts that it was cut from in memory. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** Same method and same parameters (but for the key itself and the progress token) have the same fingerprint. */
function fingerprintOf(method: string, params: unknown): string {
  const relevant = JSON.stringify([method, params], (key, value: unknown) => {
    if (key === 'idempotencyKey' || key === 'workDoneToken' || key === '_meta') return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    // Clients that repeat a request after a restart may write its fields in another order: Lua's tables have none.
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash('sha256').update(relevant).digest().toString('hex', 0, 16);
}

/** Adds the operation to a refusal, so that a client can ask for its fate. */
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
