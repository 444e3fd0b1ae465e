// Checks the watch against the captures, which walk and so are the truth: what one found changed since the one before,
// the watch must have told. It runs behind the captures, delays and fails none of them, and where anything is in doubt
// it says nothing. What it finds is announced and mended, and changes no answer.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import { Slices } from '../base/slices.ts';
import type { HeldTree } from '../watch/held/held-watch.ts';
import { differences, type ScanDifference, type ScannedTree } from './scanned-tree.ts';

/** What is checked: the changes that are told, and whether all are. */
export interface AuditedWatch extends Pick<HeldTree, 'changes' | 'fence'> {
  readonly isLive: boolean;
}

export interface WatchAuditOptions {
  /** The watcher; undefined before there is one. */
  readonly watch: () => AuditedWatch | undefined;
  readonly onDrift: (untold: readonly ScanDifference[]) => void;
  readonly log: Log;
  /** For tests. Default: a second. */
  readonly graceMs?: number;
}

interface Look {
  /** In the change log, when the capture began to look. */
  readonly position: number;
  readonly seen: ScannedTree;
}

interface Finding {
  readonly untold: readonly ScanDifference[];
  /** The position after which they must have been told. */
  readonly since: number;
}

/**
 * The kernel lets a change be seen before it queues the event: a writer that loses its processor in between, or whose
 * one call writes for long, is told of later than a capture may see it, and a fence does not wait for it.
 */
const graceMs = 1000;

/** On a busy machine a fence may come too late; nobody waits for an audit. */
const fencesMax = 3;

export class WatchAudit {
  readonly #options: WatchAuditOptions;
  #last: Look | undefined;
  /** The newest that waits; those that it replaced are not missed, since any two captures can be compared. */
  #next: Look | undefined;
  #running: Promise<void> | undefined;

  constructor(options: WatchAuditOptions) {
    this.#options = options;
  }

  /** A capture begins to look. The function that is returned takes what it saw, and returns at once. */
  begin(): ((seen: ScannedTree) => void) | undefined {
    const watch = this.#options.watch();
    if (watch === undefined || !watch.isLive) return undefined;
    const { position } = watch.changes;
    return (seen) => {
      this.#next = { position, seen };
      this.#running ??= this.#run(watch);
    };
  }

  /** Resolves when nothing is being checked: for tests, since nobody else waits for it. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(watch: AuditedWatch): Promise<void> {
    try {
      await new Promise(setImmediate); // the answer that waits for the capture comes first
      while (this.#next !== undefined) {
        const finding = await this.#compared(watch);
        if (finding !== undefined) await this.#confirm(watch, finding);
        if (this.#last !== undefined) watch.changes.keepFor(this, this.#last.position);
      }
    } catch (error) {
      this.#options.log.warn(`The watch of the work tree could not be checked: ${String(error)}`);
    } finally {
      this.#running = undefined;
    }
  }

  /** Takes the next look and lets the last one go, whose listings are large. */
  async #compared({ changes }: AuditedWatch): Promise<Finding | undefined> {
    const last = this.#last;
    const look = this.#next;
    this.#next = undefined;
    if (look === undefined || !changes.isWholeSince(look.position)) return undefined;
    this.#last = look;
    if (last === undefined) return undefined;
    const since = Math.min(last.position, look.position); // captures may overlap
    if (!changes.isWholeSince(since)) return undefined;
    const untold = await differences(last.seen, look.seen, {
      without: (path) => changes.hasTold(path, since),
      slices: Slices.inBackground(),
    });
    return untold === undefined || untold.length === 0 ? undefined : { untold, since };
  }

  /** What is still not told when everything before it must have been is drift. */
  async #confirm(watch: AuditedWatch, { untold, since }: Finding): Promise<void> {
    let left = untold;
    for (const waitMs of [0, this.#options.graceMs ?? graceMs]) {
      if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
      if (!(await isHeardOut(watch)) || !watch.changes.isWholeSince(since)) return;
      left = left.filter(({ path }) => !watch.changes.hasTold(path, since));
      if (left.length === 0) return;
    }
    this.#options.onDrift(left);
  }
}

async function isHeardOut(watch: AuditedWatch): Promise<boolean> {
  for (let i = 0; i < fencesMax && watch.isLive; i += 1) if (await watch.fence()) return true;
  return false;
}
