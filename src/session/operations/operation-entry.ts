// One operation as operation-records.ts remembers it. Holds the answer as text and nothing else of the request, so that
// a thousand of them are no burden; it decides nothing.
import type { ErrorKind } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import type { OperationId } from '../../base/ids.ts';

export type OperationState = 'running' | 'committed' | 'failed';

export interface OperationFate {
  readonly operation: OperationId;
  readonly method: string;
  readonly state: OperationState;
  readonly key?: string;
  /** The answer that was given, or (of an earlier process) what the effect was; absent when only that is known. */
  readonly result?: unknown;
  /** The checkpoint that the operation published, known even then. */
  readonly checkpoint?: string;
  readonly error?: { readonly kind: ErrorKind | 'RequestCancelled'; readonly message: string };
}

/** One operation, in as little memory as its answer allows: there are thousands of them. */
export class OperationEntry {
  readonly operation: OperationId;
  readonly method: string;
  readonly key: string | undefined;
  /** Of the request; '' without a key. */
  readonly fingerprint: string;
  state: OperationState = 'running';
  /** The answer as JSON. */
  result: string | undefined;
  checkpoint: string | undefined;
  error: OperationFate['error'];
  effect: unknown;
  pending: Promise<unknown> | undefined;

  constructor(operation: OperationId, method: string, key?: string, fingerprint = '') {
    this.operation = operation;
    this.method = method;
    this.key = key;
    this.fingerprint = fingerprint;
  }

  get fate(): OperationFate {
    const { operation, method, state, key, result, checkpoint, error } = this;
    return {
      operation,
      method,
      state,
      ...given({ key, checkpoint, error }),
      ...(result === undefined ? {} : { result: JSON.parse(result) as unknown }),
    };
  }

  /** Lets go of the answer; what it published stays known. Returns the bytes that it took. */
  forgetResult(): number {
    const answer = this.fate.result as { readonly checkpoint?: { readonly id?: string } | null } | undefined;
    this.checkpoint ??= answer?.checkpoint?.id;
    const bytes = this.result?.length ?? 0;
    this.result = undefined;
    return bytes;
  }
}
