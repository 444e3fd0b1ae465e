// Reports the progress of a long request in LSP's `$/progress` form. A request that ends within 100 ms sends no report.
// For a longer request, the daemon sends at most ten reports a second, and a last report before the response. A request
// without a `workDoneToken` gets no reports.
import type { ProgressReport, ProgressToken } from '../protocol/types.ts';

/**
 * The progress of the work. Each update replaces the previous update as a whole, and an absent field means an unknown
 * value.
 */
type ProgressUpdate = Omit<ProgressReport, 'kind'>;

export interface ProgressReporter {
  /** Reports progress. Frequent calls are cheap, because only the latest update is sent. */
  report(update: ProgressUpdate): void;
}

/** The reporter of one request. Dispatch ends the reporter. */
export interface EndableProgress extends ProgressReporter {
  /** If the report `begin` was sent, sends the report `end`. After this call `report` does nothing. */
  end(): void;
}

type Send = (method: '$/progress', params: { readonly token: ProgressToken; readonly value: object }) => void;

/** The title of each method, for people who watch the progress. A method without a title is shown by its name. */
const titles: Readonly<Record<string, string>> = {
  'session/open': 'Opening the session',
  'checkpoint/init': 'Preparing checkpoints',
  'checkpoint/create': 'Creating a checkpoint',
  'checkpoint/hasChanges': 'Looking for changes',
  'checkpoint/diff': 'Comparing',
  'checkpoint/restore': 'Restoring',
  'checkpoint/revert': 'Reverting',
  'checkpoint/undo': 'Undoing the restore',
  'checkpoint/redo': 'Redoing the restore',
  'conversation/enterTangent': 'Entering the tangent',
  'conversation/exitTangent': 'Leaving the tangent',
  'store/gc': 'Freeing space',
  'store/verify': 'Verifying the store',
};

const beginAfterMs = 100;
const reportEveryMs = 100;

export const silentProgress: EndableProgress = { report: () => undefined, end: () => undefined };

class TokenProgress implements EndableProgress {
  readonly #send: (value: object) => void;
  readonly #begin: object;
  #timer: NodeJS.Timeout | undefined;
  #latest: ProgressUpdate | undefined;
  /** The latest line of text to show to people. */
  #line: string | undefined;
  #begun = false;
  #ended = false;

  constructor(send: (value: object) => void, title: string, cancellable: boolean) {
    this.#send = send;
    this.#begin = { kind: 'begin', title, cancellable };
    this.#timer = setTimeout(() => this.#tick(), beginAfterMs);
  }

  report(update: ProgressUpdate): void {
    if (this.#ended) return;
    this.#latest = forPeople(update);
    this.#line = this.#latest.message ?? this.#line;
    if (this.#timer === undefined) this.#tick();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#begun) this.#send({ kind: 'end', message: this.#line });
  }

  /**
   * Sends the latest update, and then waits 100 ms before sending another update. If there is no update to send, does
   * not wait: the next update is sent at once.
   */
  #tick(): void {
    this.#timer = undefined;
    const latest = this.#latest;
    if (this.#begun && latest === undefined) return;
    this.#send(this.#begun ? { kind: 'report', ...latest } : { ...this.#begin, ...latest });
    this.#begun = true;
    this.#latest = undefined;
    this.#timer = setTimeout(() => this.#tick(), reportEveryMs);
  }
}

/** Returns the update with the fields that editors show: a line, and a percentage if both numbers are known. */
function forPeople(update: ProgressUpdate): ProgressUpdate {
  const { filesDone, filesTotal } = update;
  if (filesDone === undefined) return update;
  if (filesTotal === undefined) return { message: `${filesDone} files`, ...update };
  const percentage = filesTotal === 0 ? 100 : Math.min(100, Math.floor((100 * filesDone) / filesTotal));
  return { message: `${filesDone} of ${filesTotal} files`, percentage, ...update };
}

/** Starts the reports for a request with this token. Returns the reporter. */
export function startProgress(
  send: Send,
  token: ProgressToken,
  request: { readonly method: string; readonly cancellable: boolean },
): EndableProgress {
  const sendValue = (value: object): void => send('$/progress', { token, value });
  return new TokenProgress(sendValue, titles[request.method] ?? request.method, request.cancellable);
}
