// checkpointd hook-keeper: the keeper, a process that runs while agents work. A hook runs only for a moment, so the
// keeper keeps the agents' sessions open between hooks. The keeper is an ordinary client of the daemon. The first hook
// starts the keeper.
import { Conversations } from './conversations.ts';
import type { KeeperAnswer, KeeperLine } from './hand-over.ts';
import { logHook } from './hook-notes.ts';
import { askKeeper, keeperSocket, listenAsKeeper } from './keeper-socket.ts';
import { readWrittenEvent, removeEvent, removeUnfinished, writtenEvents } from './written-events.ts';

const idleMs = 10 * 60_000;

/**
 * The interval at which the keeper looks for written events. A written event is left over if its hook was killed before
 * it contacted the keeper.
 */
const pollMs = 5000;

/** Serves until no event has arrived for a long time. Returns an exit code, which no program reads. */
export async function runKeeper(storage: string): Promise<number> {
  const log = (message: string): void => logHook(storage, `keeper: ${message}`);
  const conversations = new Conversations(storage, log);
  const inbox = new Inbox(storage, conversations, log);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let closed: () => void = () => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  let idle: NodeJS.Timeout | undefined;
  let isOver = false;
  const wait = (): void => {
    clearTimeout(idle);
    // Starts no timer after the end of the keeper, because the timer would keep the process alive.
    if (!isOver) idle = setTimeout(() => (conversations.isIdle ? end() : wait()), idleMs);
  };
  const onLine = async (line: string): Promise<string> => {
    try {
      const { event, end: mustEnd } = JSON.parse(line) as KeeperLine;
      if (mustEnd === true) {
        end();
        await isClosed;
        return answerOf({ ended: true });
      }
      return answerOf({ forModel: await inbox.take(event) });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      log('the keeper ignored a line that is not JSON');
      return '{}';
    } finally {
      wait();
    }
  };
  const socket = keeperSocket(storage);
  const listener = await listenAsKeeper(socket, onLine);
  // If two keepers start at the same time, only one of them serves. The other keeper sends its own line to the serving
  // keeper and ends.
  const answered = answerFirst((line) =>
    listener === undefined ? askKeeper(socket, line) : onLine(line),
  ).catch((error: unknown) => log(String(error)));
  if (listener === undefined) {
    await answered;
    return 0;
  }
  wait();
  const poll = (): void =>
    void inbox
      .take()
      .catch((error: unknown) =>
        log(`the keeper could not read the events that hooks wrote: ${String(error)}`),
      );
  poll();
  const polling = setInterval(poll, pollMs);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
  // Ignores the signal that a closed terminal sends, because conversations in other terminals continue.
  process.on('SIGHUP', () => undefined);
  await ended;
  isOver = true;
  clearTimeout(idle);
  clearInterval(polling);
  listener.close();
  await conversations.close();
  closed();
  return 0;
}

const answerOf = (answer: KeeperAnswer): string => JSON.stringify(answer);

/**
 * Reads a line from standard input. The hook that started the keeper wrote this line. Writes the answer to standard
 * output.
 */
async function answerFirst(onLine: (line: string) => Promise<string>): Promise<void> {
  process.stdout.on('error', () => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const line = Buffer.concat(chunks).toString('utf8').trim();
  if (line !== '') process.stdout.end(await onLine(line));
}

/**
 * The time for which the keeper remembers the answer to an event. The event's hook asks for the answer at most a second
 * after the event.
 */
const answerMs = 60_000;

class Inbox {
  readonly #storage: string;
  readonly #conversations: Pick<Conversations, 'take'>;
  readonly #log: (message: string) => void;
  /** The answers to the events that are in progress or were processed a moment ago. The keys are event ids. */
  readonly #taken = new Map<string, Promise<string | undefined>>();

  constructor(storage: string, conversations: Pick<Conversations, 'take'>, log: (message: string) => void) {
    this.#storage = storage;
    this.#conversations = conversations;
    this.#log = log;
  }

  /**
   * Processes all waiting events. With `event`, resolves with the answer to this event as soon as the event is
   * processed. Without `event`, resolves when all events are processed.
   */
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
    const taken = this.#handle(id);
    this.#taken.set(id, taken);
    void taken.then(() => setTimeout(() => this.#taken.delete(id), answerMs).unref());
    return taken;
  }

  async #handle(id: string): Promise<string | undefined> {
    try {
      const event = readWrittenEvent(this.#storage, id);
      return event && (await this.#conversations.take(id, event));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#log(`the keeper cannot read an event that a hook wrote: ${error.message}`);
      return undefined;
    } finally {
      removeEvent(this.#storage, id);
    }
  }
}
