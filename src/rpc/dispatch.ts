// Calls the handler of a method and returns the outcome. Validates parameters, and handles cancellation and progress.
// Only this module catches the failure of a request. This module mentions no handler by name, and is independent of the
// daemon's start and end. The order of a session's requests is controlled by the session's queue.
import { CancelledAfterRecovery } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { within } from '../base/within.ts';
import { type MethodFacts, methods } from '../protocol/methods.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import { normalParams, validateParams } from '../protocol/validators.ts';
import { invalidParams, toWireError, wireError } from './error-response.ts';
import { type EndableProgress, type ProgressReporter, silentProgress, startProgress } from './progress.ts';
import type { RequestOutcome } from './transport/connection.ts';

/** The objects that a handler gets in addition to the request's parameters. */
export interface RequestContext {
  /** Aborted when the client cancels a cancellable request, or when the daemon stops. */
  readonly signal: AbortSignal;
  readonly progress: ProgressReporter;
  readonly log: Log;
  /**
   * The client that sent the request. Each connection has one object of this kind, and clients are compared by the
   * identity of their objects.
   */
  readonly client: object;
}

export type Handler<M extends RequestMethod> = (
  params: ParamsOf<M>,
  context: RequestContext,
) => Promise<ResultOf<M>>;

/** The methods that the connection itself answers. */
type LifecycleMethod = 'initialize' | 'shutdown' | 'rpc.discover';

/** One handler per method. A handler gets validated parameters. */
export type Handlers = {
  readonly [M in Exclude<RequestMethod, LifecycleMethod>]: Handler<M>;
};

interface DispatchPorts {
  readonly client: object;
  readonly ownHandlers: { readonly [M in LifecycleMethod]: Handler<M> };
  /**
   * Loads all other handlers when a request first needs one of them. If a method has no handler, the daemon answers
   * with the error -32601.
   */
  readonly loadHandlers: () => Promise<Partial<Handlers>>;
  readonly notify: (method: '$/progress', params: object) => void;
  readonly log: Log;
}

type AnyHandler = (params: unknown, context: RequestContext) => Promise<unknown>;

export class Dispatcher {
  readonly #ports: DispatchPorts;
  #handlers: Partial<Handlers> | undefined;
  readonly #running = new Set<AbortController>();
  readonly #stopReason = new DOMException('checkpointd is stopping.', 'AbortError');
  #idleWaiters: (() => void)[] = [];

  constructor(ports: DispatchPorts) {
    this.#ports = ports;
  }

  /** Runs a request. Never rejects. */
  async request(method: string, params: unknown, cancel: AbortSignal): Promise<RequestOutcome> {
    const facts = factsOf(method);
    if (facts === undefined) return notFound(method);
    const value = normalParams(params);
    const issues = validateParams(method, value);
    if (issues.length > 0) return { error: invalidParams(method, issues) };
    return this.#run(method, facts, value as Readonly<Record<string, unknown>>, cancel);
  }

  /** Waits until no request runs. After `graceMs`, aborts the requests that are still running. */
  async finishRequests(graceMs: number): Promise<void> {
    if (this.#running.size > 0 && graceMs > 0) {
      const whenIdle = new Promise<void>((resolve) => {
        this.#idleWaiters.push(resolve);
      });
      await within(graceMs, whenIdle);
    }
    for (const controller of this.#running) controller.abort(this.#stopReason);
  }

  async #run(
    method: string,
    facts: MethodFacts,
    params: Readonly<Record<string, unknown>>,
    cancel: AbortSignal,
  ): Promise<RequestOutcome> {
    const controller = new AbortController();
    const forward = (): void => controller.abort();
    if (facts.cancellable && cancel.aborted) forward();
    else if (facts.cancellable) cancel.addEventListener('abort', forward, { once: true });
    // The stop does not wait for `initialize` and `shutdown`. A `shutdown` starts the stop, so the stop cannot wait for
    // this request.
    if (facts.effects !== 'process') this.#running.add(controller);
    const progress = this.#progressOf(method, facts, params);
    const { log, client } = this.#ports;
    const mutates = facts.effects === 'store' || facts.effects === 'workspace';
    try {
      // Only the first requests wait here, in their order, until the handlers are loaded. Later requests pass no
      // `await` here, because an `await` would delay each request by a turn of the event loop.
      const handler = this.#handlerOf(method) ?? (await this.#loadHandler(method));
      if (handler === undefined) return notFound(method);
      controller.signal.throwIfAborted();
      const result = await handler(params, { signal: controller.signal, progress, log, client });
      return { result: result ?? null, effects: mutates ? 'committed' : 'none' };
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError' && controller.signal.aborted)
        return { error: this.#cancelled(controller.signal, error) };
      return { error: toWireError(error, { method, mutates, log }) };
    } finally {
      progress.end();
      cancel.removeEventListener('abort', forward);
      this.#running.delete(controller);
      if (this.#running.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
    }
  }

  #handlerOf(method: string): AnyHandler | undefined {
    if (Object.hasOwn(this.#ports.ownHandlers, method)) {
      return this.#ports.ownHandlers[method as LifecycleMethod] as AnyHandler;
    }
    const handlers = this.#handlers;
    if (handlers === undefined || !Object.hasOwn(handlers, method)) return undefined;
    return handlers[method as keyof Handlers] as AnyHandler;
  }

  async #loadHandler(method: string): Promise<AnyHandler | undefined> {
    this.#handlers ??= await this.#ports.loadHandlers();
    return this.#handlerOf(method);
  }

  #progressOf(
    method: string,
    facts: MethodFacts,
    params: Readonly<Record<string, unknown>>,
  ): EndableProgress {
    const token = params['workDoneToken'];
    if (!facts.progress || (typeof token !== 'string' && typeof token !== 'number')) return silentProgress;
    return startProgress(this.#ports.notify, token, { method, cancellable: facts.cancellable });
  }

  #cancelled(signal: AbortSignal, error: unknown): ReturnType<typeof wireError> {
    const isChanged = error instanceof CancelledAfterRecovery;
    const effects = isChanged ? 'unknown' : 'none';
    const changed = isChanged
      ? 'an interrupted restore was recovered, and nothing else was changed'
      : 'nothing was changed';
    if (signal.reason !== this.#stopReason)
      return wireError('RequestCancelled', `The request was cancelled; ${changed}.`, { effects });
    const message = `checkpointd is stopping and aborted the request; ${changed}.`;
    return wireError('ServerCancelled', message, { retryable: true, effects });
  }
}

function notFound(method: string): RequestOutcome {
  const name = JSON.stringify(method.slice(0, 100));
  const message = `The method ${name} does not exist. rpc.discover lists the methods.`;
  return { error: wireError('MethodNotFound', message) };
}

/**
 * Returns the facts about a method, if clients may call it. Returns undefined for a name that is not a method, such as
 * `constructor`.
 */
function factsOf(method: string): MethodFacts | undefined {
  if (!Object.hasOwn(methods, method)) return undefined;
  const facts: MethodFacts = methods[method as keyof typeof methods];
  return facts.kind === 'request' && facts.direction !== 'serverToClient' ? facts : undefined;
}
