// What became of each mutation that a client asked for: answered again when the same key comes again, told by
// operation/get when the client's connection died. Kept with the session's log, so it outlives the process where
// the session does. Remembers answers, never runs anything.
import { createHash } from 'node:crypto';
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { newOperationId, type OperationId } from '../base/ids.ts';
import type { SessionLog } from '../conversation/session-log.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';

export type OperationState = 'running' | 'committed' | 'failed';

export interface OperationFate {
  readonly operation: OperationId;
  readonly method: string;
  readonly state: OperationState;
  readonly key?: string;
  /** The answer that was given; absent when the process died between the effect and the answer. */
  readonly result?: unknown;
  /** The checkpoint that the operation published, known even then. */
  readonly checkpoint?: string;
  readonly error?: { readonly kind: ErrorKind | 'RequestCancelled'; readonly message: string };
}

/** How a running operation speaks: its cancel, its progress, and what it stamps into the records it publishes. */
export interface OperationContext {
  readonly signal: AbortSignal;
  readonly operation: OperationId;
  /** Facts that make the effect and its key one: they are published together. */
  readonly stamp: Pick<CheckpointRecord, 'idempotency' | 'operation'>;
  progress(phase: string): (done: ProgressFigures) => void;
}

export interface ProgressFigures {
  readonly filesDone: number;
  readonly filesTotal?: number;
  readonly bytesDone: number;
  readonly bytesTotal?: number;
}

interface LoggedOperation {
  readonly kind: 'operation';
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly result: unknown;
}

/** A key that was logged with its effect in one record, as changes of the conversation are. */
interface KeyedEffect {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string;
  readonly fingerprint: string;
  /** What the effect answered, from which the wire's answer is made again. */
  readonly result: unknown;
}

/**
 * Written before an effect that no checkpoint carries: whether it took place is told afterwards by the checkpoints
 * that are there, so that a key and its effect are one also when the process dies between the two.
 */
export type Intended =
  | { readonly removes: CheckpointRecord['id'] }
  | { readonly renames: CheckpointRecord['id']; readonly name?: string };

interface LoggedIntention {
  readonly kind: 'intention';
  readonly method: string;
  readonly operation: OperationId;
  readonly key: string;
  readonly fingerprint: string;
  readonly intended: Intended;
}

interface Entry {
  fate: OperationFate;
  readonly fingerprint: string;
  readonly pending?: Promise<unknown>;
  readonly effect?: unknown;
}

/** What is left of an effect whose answer was lost with the process: the checkpoint it published, or its own answer. */
export interface Remains {
  readonly checkpoint?: string;
  readonly effect?: unknown;
}

export interface OperationRequest {
  readonly method: string;
  readonly key?: string;
  readonly params: unknown;
  /** The effect is logged together with its key, so no record of the operation is needed beside it. */
  readonly isLoggedWithEffect?: boolean;
}

const remembered = 1000;

export class OperationRecords {
  readonly #log: Pick<SessionLog, 'append'> | undefined;
  readonly #byOperation = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();
  /** Of an earlier process, by key; judged when the checkpoints are known. */
  readonly #intentions = new Map<string, LoggedIntention>();
  /** What may be forgotten, oldest first. */
  readonly #unkeyed = new Set<Entry>();

  /** Without a log it remembers as long as the process lives. */
  constructor(log?: Pick<SessionLog, 'append'>, logged: readonly unknown[] = []) {
    this.#log = log;
    for (const record of logged) {
      if (isLogged(record)) this.#remember(entryOf(record));
      else if (isIntention(record)) this.#intentions.set(record.key, record);
      const keyed = keyedEffectOf(record);
      if (keyed !== undefined) this.#remember(entryOfEffect(keyed));
    }
  }

  /** Notes what is about to be done under a key. */
  intend(method: string, { idempotency }: OperationContext['stamp'], intended: Intended): void {
    if (idempotency === undefined) return;
    const { key, fingerprint, operation } = idempotency;
    const logged: LoggedIntention = {
      kind: 'intention',
      method,
      operation: operation as OperationId,
      key,
      fingerprint,
      intended,
    };
    this.#log?.append(logged);
  }

  /** Learns from published checkpoints which keys took effect although no answer was logged. */
  learn(checkpoints: readonly StoredCheckpoint[]): void {
    for (const { record } of checkpoints) {
      const { idempotency } = record;
      if (idempotency === undefined) continue;
      const known = this.#byKey.get(idempotency.key);
      // A failed operation may have been finished since, by recovery.
      if (known !== undefined && known.fate.state !== 'failed') continue;
      const operation = idempotency.operation as OperationId;
      const method =
        idempotency.method ?? (record.kind === 'restore' ? 'checkpoint/restore' : 'checkpoint/create');
      const fate: OperationFate = {
        operation,
        method,
        state: 'committed',
        key: idempotency.key,
        checkpoint: record.id,
      };
      this.#remember({ fate, fingerprint: idempotency.fingerprint });
    }
    for (const { key, operation, method, fingerprint, intended } of this.#intentions.values()) {
      const done = this.#byKey.has(key) ? undefined : outcomeOf(intended, checkpoints);
      if (done !== undefined)
        this.#remember({ fate: { operation, method, state: 'committed', key, ...done }, fingerprint });
    }
    this.#intentions.clear();
  }

  /** The fate of an operation by its id or its key. */
  find(name: string): OperationFate | undefined {
    return (this.#byOperation.get(name) ?? this.#byKey.get(name))?.fate;
  }

  /**
   * Runs `work` once per key: a repeat gets the first answer with `replayed: true`.
   *
   * `rebuild` makes the answer again from what is left of the effect when the process died since.
   * @throws IdempotencyConflict when the key was used for another request.
   */
  async run<R extends object>(
    request: OperationRequest,
    work: (operation: OperationId, stamp: OperationContext['stamp']) => Promise<R>,
    rebuild: (remains: Remains) => Promise<R>,
  ): Promise<R & { readonly replayed?: boolean }> {
    const fingerprint = fingerprintOf(request.method, request.params);
    const known = request.key === undefined ? undefined : this.#byKey.get(request.key);
    if (known !== undefined && known.fate.state !== 'failed')
      return this.#replay(known, fingerprint, rebuild);
    const operation = newOperationId();
    const stamp = {
      operation,
      ...(request.key === undefined
        ? {}
        : { idempotency: { key: request.key, fingerprint, operation, method: request.method } }),
    };
    const pending = work(operation, stamp);
    const named = request.key === undefined ? {} : { key: request.key };
    const fate = { operation, method: request.method, ...named };
    const entry: Entry = { fate: { ...fate, state: 'running' }, fingerprint, pending };
    this.#remember(entry);
    try {
      const result = await pending;
      entry.fate = { ...fate, state: 'committed', result };
      if (request.key !== undefined && request.isLoggedWithEffect !== true) {
        const { method, key } = request;
        const logged: LoggedOperation = { kind: 'operation', operation, method, key, fingerprint, result };
        this.#log?.append(logged);
      }
      return result;
    } catch (error) {
      entry.fate = { ...fate, state: 'failed', error: describe(error) };
      throw naming(operation, error);
    }
  }

  async #replay<R extends object>(
    entry: Entry,
    fingerprint: string,
    rebuild: (remains: Remains) => Promise<R>,
  ): Promise<R> {
    if (entry.fingerprint !== fingerprint) {
      throw new CheckpointdError(
        'IdempotencyConflict',
        'This idempotencyKey was used for a different request. Use a new key for a new request.',
        {
          details: { operationId: entry.fate.operation },
        },
      );
    }
    if (entry.fate.state === 'running') return { ...((await entry.pending) as R), replayed: true };
    if (entry.fate.result !== undefined) return { ...(entry.fate.result as R), replayed: true };
    const { operation, checkpoint } = entry.fate;
    const remains = { effect: entry.effect, ...(checkpoint === undefined ? {} : { checkpoint }) };
    return { ...(await rebuild(remains)), operation, replayed: true };
  }

  #remember(entry: Entry): void {
    this.#byOperation.set(entry.fate.operation, entry);
    if (entry.fate.key !== undefined) this.#byKey.set(entry.fate.key, entry);
    else this.#unkeyed.add(entry);
    if (this.#unkeyed.size <= remembered) return;
    // Only what carries no key is forgotten, the oldest first: a key is a promise.
    for (const old of this.#unkeyed) {
      if (old.fate.state === 'running') continue;
      this.#unkeyed.delete(old);
      this.#byOperation.delete(old.fate.operation);
      return;
    }
  }
}

/** Same method and same parameters (but for the key itself and the progress token) have the same fingerprint. */
function fingerprintOf(method: string, params: unknown): string {
  const relevant = JSON.stringify([method, params], (key, value: unknown) =>
    key === 'idempotencyKey' || key === 'workDoneToken' || key === '_meta' ? undefined : value,
  );
  return createHash('sha256').update(relevant).digest('hex').slice(0, 32);
}

/** The same refusal with the operation that it belongs to, so that a client can ask for its fate. */
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

function isLogged(record: unknown): record is LoggedOperation {
  return typeof record === 'object' && record !== null && 'kind' in record && record.kind === 'operation';
}

function entryOf({ operation, method, key, fingerprint, result }: LoggedOperation): Entry {
  return { fate: { operation, method, key, state: 'committed', result }, fingerprint };
}

/** The key of a conversation's record, as Timeline.commit wrote it. */
function keyedEffectOf(record: unknown): KeyedEffect | undefined {
  const isKeyed =
    typeof record === 'object' &&
    record !== null &&
    'kind' in record &&
    record.kind === 'conversation' &&
    'idempotency' in record;
  return isKeyed ? (record.idempotency as KeyedEffect) : undefined;
}

function entryOfEffect({ operation, method, key, fingerprint, result }: KeyedEffect): Entry {
  return { fate: { operation, method, key, state: 'committed' }, fingerprint, effect: result };
}

function isIntention(record: unknown): record is LoggedIntention {
  return typeof record === 'object' && record !== null && 'kind' in record && record.kind === 'intention';
}

/** What an intention has come to, if it took place. */
function outcomeOf(
  intended: Intended,
  checkpoints: readonly StoredCheckpoint[],
): Pick<OperationFate, 'result' | 'checkpoint'> | undefined {
  if ('removes' in intended) {
    const isThere = checkpoints.some(({ record }) => record.id === intended.removes);
    return isThere ? undefined : { result: { deleted: intended.removes } };
  }
  const renamed = checkpoints.find(({ record }) => record.id === intended.renames);
  return renamed !== undefined && renamed.name === intended.name
    ? { checkpoint: intended.renames }
    : undefined;
}
