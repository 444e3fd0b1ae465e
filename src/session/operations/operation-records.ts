// What became of each mutation that a client asked for: answered again when the same key comes again, told by
// operation/get when the client's connection died. Kept with the session's log, so it outlives the process where
// the session does. Remembers answers, never runs anything.
import { createHash } from 'node:crypto';
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import { newOperationId, type OperationId } from '../../base/ids.ts';
import type { OperationContext } from '../../checkpoints/operation.ts';
import type { SessionLog } from '../../conversation/log/session-log.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import { type Intended, isIntention, type LoggedIntention, outcomeOf } from './intentions.ts';
import { entryOf, entryOfEffect, isLogged, keyedEffectOf, type LoggedOperation } from './logged-operation.ts';
import { OperationEntry, type OperationFate } from './operation-entry.ts';

/** What is left of an effect whose answer was lost with the process: the checkpoint it published, or its own answer. */
export interface EarlierEffect {
  readonly checkpoint?: string;
  readonly effect?: unknown;
}

export interface OperationRequest {
  readonly method: string;
  readonly key?: string;
  readonly params: unknown;
}

const remembered = 1000;
/** Of the answers to requests without a key, together; the newest is kept however long it is. */
const resultBytesMax = 128 * 1024;

export class OperationRecords {
  readonly #log: Pick<SessionLog, 'append'> | undefined;
  readonly #byOperation = new Map<string, OperationEntry>();
  readonly #byKey = new Map<string, OperationEntry>();
  /** Of an earlier process, by key; judged when the checkpoints are known. */
  readonly #intentions = new Map<string, LoggedIntention>();
  /** What may be forgotten, oldest first. */
  readonly #unkeyed = new Set<OperationEntry>();
  /** Those of them whose answer is kept, oldest first. */
  readonly #answered = new Set<OperationEntry>();
  #resultBytes = 0;

  /** Without a log it remembers as long as the process lives. */
  constructor(log?: Pick<SessionLog, 'append'>, logged: readonly unknown[] = []) {
    this.#log = log;
    for (const record of logged) {
      if (isLogged(record)) this.#remember(entryOf(record));
      else if (isIntention(record)) this.#consider(record);
      const keyed = keyedEffectOf(record);
      if (keyed !== undefined) this.#remember(entryOfEffect(keyed));
    }
  }

  /** Notes what is about to be done under a key; with `isDone` that it has been. */
  intend(
    method: string,
    { idempotency }: OperationContext['stamp'],
    intended: Intended,
    isDone?: 'isDone',
  ): void {
    if (idempotency === undefined) return;
    const { key, fingerprint, operation } = idempotency;
    const logged: LoggedIntention = {
      kind: 'intention',
      method,
      operation: operation as OperationId,
      key,
      fingerprint,
      intended,
      ...given({ isDone: isDone && (true as const) }),
    };
    this.#log?.append(logged);
  }

  /** One of an earlier process: judged when the checkpoints are known, unless it says itself that it took place. */
  #consider(record: LoggedIntention): void {
    if (record.isDone === true) this.#rememberDone(record, []);
    else this.#intentions.set(record.key, record);
  }

  #rememberDone(intention: LoggedIntention, checkpoints: readonly StoredCheckpoint[]): void {
    const { key, operation, method, fingerprint } = intention;
    const outcome = this.#byKey.has(key) ? undefined : outcomeOf(intention, checkpoints);
    if (outcome === undefined) return;
    const entry = new OperationEntry(operation, method, key, fingerprint);
    entry.state = 'committed';
    entry.checkpoint = outcome.checkpoint;
    entry.result = outcome.result === undefined ? undefined : JSON.stringify(outcome.result);
    entry.effect = outcome.effect;
    this.#remember(entry);
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
      const entry = new OperationEntry(operation, method, idempotency.key, idempotency.fingerprint);
      entry.state = 'committed';
      entry.checkpoint = record.id;
      if (known?.state === 'running') {
        known.checkpoint = record.id;
        this.#byOperation.set(operation, entry);
      } else this.#remember(entry);
    }
    for (const intention of this.#intentions.values()) this.#rememberDone(intention, checkpoints);
    this.#intentions.clear();
  }

  /** What recovery has finished of the first request under a running one's key, if it has. */
  finishedBefore({ idempotency }: OperationContext['stamp']): EarlierEffect | undefined {
    const running = idempotency === undefined ? undefined : this.#byKey.get(idempotency.key);
    return running?.checkpoint === undefined ? undefined : { checkpoint: running.checkpoint };
  }

  /** The fate of an operation by its id or its key. */
  find(name: string): OperationFate | undefined {
    const entry = this.#byOperation.get(name) ?? this.#byKey.get(name);
    if (entry?.effect === undefined || entry.result !== undefined) return entry?.fate;
    return { ...entry.fate, result: entry.effect };
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
    const entry = new OperationEntry(operation, method, key, fingerprint);
    entry.pending = pending;
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

  /**
   * Writes an answer down, so that its key gets it again after a restart too. For an effect that has no record of its
   * own in which the key could stand. @throws NoSpace, StoreUnavailable: then this process alone knows the answer
   */
  keep(method: string, { idempotency }: OperationContext['stamp'], result: unknown): void {
    if (idempotency === undefined) return;
    const { key, fingerprint, operation } = idempotency;
    const logged: LoggedOperation = {
      kind: 'operation',
      operation: operation as OperationId,
      method,
      key,
      fingerprint,
      result,
    };
    this.#log?.append(logged);
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
      this.#resultBytes -= old.forgetResult();
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
        {
          details: { operationId: entry.operation },
        },
      );
    }
    if (entry.state === 'running') return { ...((await entry.pending) as R), replayed: true };
    const { operation, checkpoint, result } = entry.fate;
    if (result !== undefined) return { ...(result as R), replayed: true };
    const earlier = { effect: entry.effect, ...given({ checkpoint }) };
    return { ...(await rebuild(earlier)), operation, replayed: true };
  }

  #remember(entry: OperationEntry): void {
    this.#byOperation.set(entry.operation, entry);
    if (entry.key !== undefined) this.#byKey.set(entry.key, entry);
    else this.#unkeyed.add(entry);
    if (this.#unkeyed.size <= remembered) return;
    // Only what carries no key is forgotten, the oldest first: a key is a promise.
    for (const old of this.#unkeyed) {
      if (old.state === 'running') continue;
      this.#unkeyed.delete(old);
      this.#byOperation.delete(old.operation);
      if (this.#answered.delete(old)) this.#resultBytes -= old.forgetResult();
      return;
    }
  }
}

/** The same text, no longer put together from the pieces in which it was made. */
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
