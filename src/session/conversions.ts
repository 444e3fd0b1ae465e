// Converts imported sessions in the background, one after the other; see imported-line.ts. An opening waits for the
// conversion of its session. A deletion, the end of the daemon, and another process that claims the session stop the
// conversion. The next opening continues the conversion.
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import type { SessionMarker } from './description.ts';
import type { ImportedSession } from './import-session.ts';
import { convertLine } from './imported-line.ts';
import type { OwnerTerms, SessionOwner } from './owner.ts';

interface Conversion {
  readonly marker: SessionMarker;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** The interval in ms at which a conversion looks whether another process claims the session. */
const claimMs = 100;

export class Conversions {
  /** The terms of the owners of these sessions. */
  readonly terms: OwnerTerms;
  readonly #log: Log;
  readonly #running = new Set<Conversion>();
  #isClosed = false;

  constructor(terms: OwnerTerms, log: Log) {
    this.terms = { ...terms, yields: true };
    this.#log = log;
  }

  /** Starts the conversion of a session that was just imported. Does nothing for a session that needs no conversion. */
  begin({ owner, ...imported }: ImportedSession): void {
    if (owner === undefined) return;
    if (this.#isClosed) return owner.release();
    const { marker } = imported;
    const stop = new AbortController();
    const ended = this.#convert(imported, owner, stop).catch((error: unknown) => {
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
  cancel(session: string): Promise<void> {
    return this.#stop(({ marker }) => marker.session === session);
  }

  /** Stops all conversions. Begins no more. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#stop(() => true);
  }

  async #stop(isMeant: (conversion: Conversion) => boolean): Promise<void> {
    const stopped = [...this.#running].filter(isMeant);
    for (const { stop } of stopped) stop.abort();
    await Promise.all(stopped.map(({ ended }) => ended));
  }

  async #convert(
    { directory, marker }: Omit<ImportedSession, 'owner'>,
    owner: SessionOwner,
    stop: AbortController,
  ): Promise<void> {
    const watch = setInterval(() => {
      if (files.existsSync(directory.wantedFile)) stop.abort();
    }, claimMs).unref();
    try {
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
