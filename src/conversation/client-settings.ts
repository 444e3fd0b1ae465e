// What the client sets up for a conversation: tools, model, MCP, limits, and the objects that live at run time only.
// A rewind leaves all of it as it is. It checks and logs; the context files have a room of their own.
import type { RuntimeObjects } from './answers.ts';
import { refuse } from './client-object.ts';
import type { ConversationLimits } from './limits.ts';
import type { Idempotency, Timeline } from './log/timeline.ts';
import { knownModel, type ModelInfo } from './model.ts';
import { checkTools } from './tools.ts';

export class ClientSettings {
  readonly #timeline: Timeline;
  #runtime: RuntimeObjects = {};

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Changes limits from here on; logged, so that a replay drops what was dropped. */
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

  /** Describes the model: an object, or an id alone. What is missing gets a default and a warning (C30). */
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

  /** Holds the client's run-time objects until the process ends; a reopened session must be given them again. */
  setRuntime(objects: RuntimeObjects): void {
    this.#runtime = { ...this.#runtime, ...objects };
  }

  get runtime(): RuntimeObjects {
    return this.#runtime;
  }
}
