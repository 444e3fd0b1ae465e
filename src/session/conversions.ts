// Converts imported sessions in the background, one after the other; see imported-line.ts. An opening waits for the
// conversion of its session. A deletion, the end of the daemon, and another process that claims the session stop the
// conversion. The next opening then continues it.
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { Turns } from '../base/turns.ts';
import { SessionDirectory, type SessionMarker } from './directory.ts';
import { convertLine } from './imported-line.ts';
import { type OwnerTerms, SessionOwner } from './owner.ts';

interface Conversion {
  readonly marker: SessionMarker;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** The interval in ms at which a conversion looks whether another process claims the session. */
const claimMs = 100;

export class Conversions {
  readonly #terms: OwnerTerms;
  readonly #log: Log;
  readonly #running = new Set<Conversion>();
  readonly #turns = new Turns();
  #isClosed = false;

  /** @param terms the terms for other processes that claim a session during its conversion */
  constructor(terms: OwnerTerms, log: Log) {
    this.#terms = terms;
    this.#log = log;
  }

  /** Starts the conversion of a session that was just imported. Does nothing for a session that needs none. */
  begin(storage: string, marker: SessionMarker): void {
    const directory = new SessionDirectory(storage, marker.session);
    if (this.#isClosed || !directory.isUnconverted) return;
    const stop = new AbortController();
    const work = this.#turns.run(() => this.#convert(directory, marker, stop));
    const ended = work.catch((error: unknown) => {
      if (stop.signal.aborted) return;
      this.#log.warn(
        `${marker.session} was imported, but its contents are not in its store yet: ${String(error)}`,
      );
    });
    const conversion = { marker, stop, ended };
    this.#running.add(conversion);
    void ended.then(() => this.#running.delete(conversion));
  }

  /** Waits until the sessions of a conversation are converted. @throws AbortError */
  async endOf(conversationId: string | undefined, signal: AbortSignal): Promise<void> {
    const ends = [...this.#running].filter(({ marker }) => marker.conversationId === conversationId);
    if (ends.length === 0) return;
    await Promise.race([Promise.all(ends.map(({ ended }) => ended)), aborted(signal)]);
    signal.throwIfAborted();
  }

  /** Stops the conversion of a session. */
  async cancel(session: string): Promise<void> {
    await this.#stop(({ marker }) => marker.session === session);
  }

  /** Stops all conversions. Begins no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop(() => true);
  }

  async #stop(isMeant: (conversion: Conversion) => boolean): Promise<void> {
    const stopped = [...this.#running].filter(isMeant);
    for (const { stop } of stopped) stop.abort();
    await Promise.all(stopped.map(({ ended }) => ended));
  }

  async #convert(directory: SessionDirectory, marker: SessionMarker, stop: AbortController): Promise<void> {
    stop.signal.throwIfAborted();
    const owner = await SessionOwner.claim(directory, { terms: { ...this.#terms, yields: true } });
    if (!(owner instanceof SessionOwner)) return; // another process has opened the session, and converts it
    const watch = setInterval(() => {
      if (files.existsSync(directory.wantedFile)) stop.abort();
    }, claimMs).unref();
    try {
      if (directory.isUnconverted)
        await convertLine(directory, marker, { signal: stop.signal, onCheckpoint: () => undefined });
    } finally {
      clearInterval(watch);
      owner.release();
    }
  }
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
