// Changes the client's settings for a conversation: tools, model, MCP, limits, and run-time objects. A rewind does not
// change the settings back.
import { type ClientObject, refuse } from './client-object.ts';
import type { Idempotency, Timeline } from './log/timeline.ts';
import { type ConversationLimits, checkTools, knownModel, type ModelInfo } from './settings.ts';

/**
 * The run-time objects of the client. The daemon keeps these objects in memory until the process ends, and never stores
 * them (C28).
 */
interface RuntimeObjects {
  readonly agents?: ClientObject | undefined;
  readonly toolManager?: ClientObject | undefined;
}

export class ClientSettings {
  readonly #timeline: Timeline;
  #runtime: RuntimeObjects = {};

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /**
   * Changes the limits for all later operations. Logs the new limits, so that a replay of the log removes the same
   * entries.
   */
  setLimits(limits: Partial<ConversationLimits>): void {
    for (const value of Object.values(limits)) {
      if (!Number.isSafeInteger(value) || value < 1) refuse('limits', 'must be whole numbers above 0.');
    }
    const next = { ...this.#timeline.present.settings.limits, ...limits };
    this.#timeline.commit({ op: 'setLimits', limits: next }, () => undefined);
  }

  setTools(given: unknown, idempotency?: Idempotency): { tools: number } {
    const tools = checkTools(given);
    const count = Object.values(tools).reduce((sum, list) => sum + list.length, 0);
    return this.#timeline.commit({ op: 'setTools', tools }, () => ({ tools: count }), idempotency);
  }

  /**
   * Sets the model, which is given as an object or as an id. If the size of the window is missing, uses a default value
   * and warns (C30).
   */
  setModel(given: unknown, idempotency?: Idempotency): { modelInfo: ModelInfo; warnings: readonly string[] } {
    const { info, warnings } = knownModel(given);
    return this.#timeline.commit(
      { op: 'setModel', modelInfo: info },
      () => ({ modelInfo: info, warnings }),
      idempotency,
    );
  }

  setMcpEnabled(enabled: unknown, idempotency?: Idempotency): { mcpEnabled: boolean } {
    if (typeof enabled !== 'boolean') refuse('mcpEnabled', 'must be true or false.');
    const operation = { op: 'setMcpEnabled', enabled } as const;
    return this.#timeline.commit(operation, () => ({ mcpEnabled: enabled }), idempotency);
  }

  /**
   * Keeps the client's run-time objects in memory until the process ends. The client must send these objects again when
   * it reopens the session.
   */
  setRuntime(objects: RuntimeObjects): void {
    this.#runtime = { ...this.#runtime, ...objects };
  }

  get runtime(): RuntimeObjects {
    return this.#runtime;
  }
}
