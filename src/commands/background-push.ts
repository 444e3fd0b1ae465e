// Pushes sessions in the background after their turns. Each remote has a backlog of sessions. The pushes of one backlog
// run one after another, within a time limit. While the remote is unreachable, the intervals between attempts grow. No
// request waits for a push. The daemon reports a failed push and tries again later.

import { attempt } from '../base/attempt.ts';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { Remotes } from '../remote/remotes.ts';
import type { Session } from '../session/session.ts';
import { pushSession } from '../session/travel.ts';

/**
 * The delay between a turn and its push. An agent often makes several changes in quick succession, and one push is
 * enough for all of them.
 */
const quietMs = 500;
/**
 * The time limit for pushing all sessions of a backlog. When the time is over, the remaining sessions wait for the next
 * attempt. The limit doubles after each failure.
 */
const budgetMs = 120_000;
const firstRetryMs = 5_000;
const lastRetryMs = 10 * 60_000;
const failuresMax = 5;

/** The backlog of each session with `push: "turn"`. */
const backlogs = new WeakMap<Session, Backlog>();
const byRemote = new Map<string, Backlog>();

/**
 * With mode `turn`, makes the daemon push the session to the remote after each turn. With mode `manual`, ends these
 * pushes.
 * @throws UnknownRemote
 */
export function pushAfterTurns(session: Session, remote: string, mode: 'turn' | 'manual'): void {
  const { storage } = session.parts.directory;
  if (mode === 'manual') {
    backlogs.delete(session);
    session.afterChange = undefined;
    return;
  }
  new Remotes(storage).get(remote);
  const place = `${remote} ${storage}`;
  const backlog = byRemote.get(place) ?? new Backlog(remote);
  byRemote.set(place, backlog);
  backlogs.set(session, backlog);
  session.afterChange = (method) => {
    if (turnMethods.has(method)) backlogs.get(session)?.add(session);
  };
  backlog.add(session);
}

/** The methods that begin or end a turn. The daemon pushes after these methods. */
const turnMethods: ReadonlySet<string> = new Set(['checkpoint/create', 'conversation/append']);

class Backlog {
  readonly #remote: string;
  readonly #waiting = new Set<Session>();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #failures = 0;

  constructor(remote: string) {
    this.#remote = remote;
  }

  add(session: Session): void {
    this.#waiting.add(session);
    // If the last attempt failed, a turn does not change the time of the next attempt.
    if (this.#failures === 0 || this.#failures >= failuresMax) this.#runIn(quietMs);
  }

  #runIn(ms: number): void {
    if (this.#isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), ms).unref();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // The limit grows after each failure, so that a push that needs more time can succeed.
    const budget = AbortSignal.timeout(budgetMs * 2 ** this.#failures);
    let isDone = true;
    for (const session of this.#waiting) {
      if (!isDone || budget.aborted) break;
      this.#waiting.delete(session); // if the push fails, the session goes to the end of the backlog
      isDone = await this.#push(session, budget);
      if (!isDone) this.#waiting.add(session);
    }
    this.#isRunning = false;
    this.#failures = isDone ? 0 : Math.min(failuresMax, this.#failures + 1);
    if (this.#waiting.size === 0 || this.#failures >= failuresMax) return;
    this.#runIn(isDone ? quietMs : Math.min(lastRetryMs, firstRetryMs * 2 ** (this.#failures - 1)));
  }

  /**
   * Pushes a session. Returns false when the push failed but may succeed later. In this case, the remote was
   * unreachable or limits the number of requests, or the time limit was reached. After a failure of this kind, the
   * caller leaves all other sessions for the next run.
   */
  async #push(session: Session, signal: AbortSignal): Promise<boolean> {
    const { events, log, directory, owner } = session.parts;
    if (session.enabled === undefined || backlogs.get(session) !== this || !owner.isOwner()) return true;
    try {
      const remotes = new Remotes(directory.storage);
      const remote = attempt(isKind('UnknownRemote'), () => remotes.get(this.#remote));
      if (remote === undefined) {
        backlogs.delete(session);
        return true;
      }
      const pushed = await pushSession(session, remote.name, {
        choices: { send: [], leaveOut: remote.leaveOut },
        dryRun: false,
        signal,
        warn: (text) => log.warn(text),
      });
      const { line, left } = pushed.written;
      events.pushed(session, {
        remote: remote.name,
        pushed: pushed.pushed,
        head: line.commit,
        leftCount: left.length,
      });
      return true;
    } catch (error) {
      log.warn(`a session was not pushed to ${this.#remote}: ${String(error)}`);
      if (!(error instanceof CheckpointdError)) return !signal.aborted;
      events.pushed(session, { remote: this.#remote, pushed: false, error });
      return !error.retryable;
    }
  }
}
