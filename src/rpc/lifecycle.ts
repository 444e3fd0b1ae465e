// The order of a connection's life (initialize, work, shutdown, exit) and what the client said in `initialize`.
// A state machine and nothing more: it starts and stops no part of the daemon.
import type {
  CheckpointdServerCapabilities,
  InitializeParams,
  ServerLimits,
  TraceValue,
} from '../protocol/types.ts';
import { type WireError, wireError } from './error-response.ts';

export type LifecycleState = 'new' | 'running' | 'shutdown';

/** What a daemon offers, as far as the connection does not know it by itself. */
export interface Offer {
  readonly capabilities: Omit<CheckpointdServerCapabilities, 'events'>;
  readonly limits: Omit<ServerLimits, 'maxHeaderBytes' | 'maxBodyBytes' | 'maxInFlight'>;
}

export class Lifecycle {
  #state: LifecycleState = 'new';
  #events: ReadonlySet<string> = new Set();
  #trace: TraceValue = 'off';

  get state(): LifecycleState {
    return this.#state;
  }

  get trace(): TraceValue {
    return this.#trace;
  }

  /** The events that the client asked for, in its order. */
  get events(): readonly string[] {
    return [...this.#events];
  }

  /** Why a request may not be served now; undefined: it may. */
  refuse(method: string): WireError | undefined {
    if (this.#state === 'shutdown') {
      return wireError('InvalidRequest', 'checkpointd has shut down; only "exit" is accepted.');
    }
    if (method === 'rpc.discover') return undefined;
    if (method === 'initialize') {
      return this.#state === 'new'
        ? undefined
        : wireError('InvalidRequest', '"initialize" may be sent only once.');
    }
    if (this.#state === 'running') return undefined;
    return wireError('ServerNotInitialized', 'Send "initialize" first.', { retryable: true });
  }

  /** Takes `initialize`: from now on events and log lines may be sent. */
  initialize(params: InitializeParams, known: (event: string) => boolean): void {
    this.#state = 'running';
    this.#events = new Set((params.capabilities?.checkpointd?.events ?? []).filter(known));
    this.#trace = params.trace ?? 'off';
  }

  shutdown(): void {
    this.#state = 'shutdown';
  }

  setTrace(value: TraceValue): void {
    this.#trace = value;
  }

  /** Whether a notification may be sent to this client now: its log lines, and the events it asked for. */
  wants(event: string): boolean {
    if (this.#state !== 'running') return false;
    return (
      event === 'window/logMessage' ||
      (event === '$/logTrace' && this.#trace !== 'off') ||
      this.#events.has(event)
    );
  }
}
