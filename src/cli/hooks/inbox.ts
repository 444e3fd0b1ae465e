// The events that wait for the keeper: each is read once, carried out, and removed when that is done. It knows no
// agent and no session.
import type { Conversations } from './conversations.ts';
import { readWrittenEvent, removeEvent, removeUnfinished, writtenEvents } from './written-events.ts';

/** How long the answer to an event is remembered for its hook, which asks within a second. */
const answerMs = 60_000;

export class Inbox {
  readonly #storage: string;
  readonly #conversations: Pick<Conversations, 'take'>;
  readonly #log: (message: string) => void;
  /** Events that are being carried out, and those that were a moment ago. */
  readonly #taken = new Map<string, Promise<string | undefined>>();

  constructor(storage: string, conversations: Pick<Conversations, 'take'>, log: (message: string) => void) {
    this.#storage = storage;
    this.#conversations = conversations;
    this.#log = log;
  }

  /** Takes all events that wait. Resolves when this one is carried out, with its answer, or when all of them are. */
  async take(event?: string): Promise<string | undefined> {
    removeUnfinished(this.#storage);
    const taken = writtenEvents(this.#storage).map((id) => this.#takeOnce(id));
    if (event !== undefined) return this.#taken.get(event);
    await Promise.all(taken);
    return undefined;
  }

  #takeOnce(id: string): Promise<string | undefined> {
    const before = this.#taken.get(id);
    if (before !== undefined) return before;
    const taken = this.#carryOut(id);
    this.#taken.set(id, taken);
    void taken.then(() => setTimeout(() => this.#taken.delete(id), answerMs).unref());
    return taken;
  }

  async #carryOut(id: string): Promise<string | undefined> {
    try {
      const event = readWrittenEvent(this.#storage, id);
      return event && (await this.#conversations.take(id, event));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#log(`an event that was written down cannot be read: ${error.message}`);
      return undefined;
    } finally {
      removeEvent(this.#storage, id);
    }
  }
}
