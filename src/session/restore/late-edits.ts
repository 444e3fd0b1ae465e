// When what a restore took away is looked at once more (restore/late/late-look.ts): a moment after it, while others
// work; at the end of the session; and at the next opening, where a kill came first. What was found is told in the log.
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import type { BroughtBack } from '../../restore/late/bring-back.ts';
import { type LateLookOptions, lookAtDisplaced } from '../../restore/late/late-look.ts';
import { toText } from '../../tree/tree-path.ts';
import type { SessionDirectory } from '../directory.ts';

/** Longer than a program is stopped between opening a file and writing to it, on a machine with too much to do. */
const waitMs = 2_000;
const directoryName = /^displaced-([0-9a-z]{20})$/;

type Store = () => LateLookOptions['contents'];

export class LateEdits {
  readonly #directory: SessionDirectory;
  readonly #root: string;
  readonly #log: Log;
  readonly #isOurs: () => boolean;
  readonly #timers = new Set<NodeJS.Timeout>();
  #running: Promise<void> = Promise.resolve();

  /** `isOurs`: whether the session is; another process that took it over has looked when it opened it. */
  constructor(directory: SessionDirectory, root: string, log: Log, isOurs: () => boolean) {
    this.#isOurs = isOurs;
    this.#directory = directory;
    this.#root = root;
    this.#log = log;
  }

  /** Where a restore puts what it takes away. */
  directoryOf(id: string): string {
    return join(this.#directory.own, `displaced-${id}`);
  }

  /** After a restore, however it ended. */
  lookLater(id: string, store: Store): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#look([id], store);
    }, waitMs);
    timer.unref();
    this.#timers.add(timer);
  }

  /** Looks at all that lies there, now: where nobody waits for a restore any more, or nobody will. */
  async lookNow(store: Store): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#look(this.#restores(), store);
  }

  /** Whether anything lies there: a session that ends with it is not removed. */
  get isAny(): boolean {
    return this.#restores().length > 0;
  }

  /** One look at a time. */
  #look(ids: readonly string[], store: Store): Promise<void> {
    this.#running = this.#lookAfter(this.#running, ids, store);
    return this.#running;
  }

  async #lookAfter(others: Promise<void>, ids: readonly string[], store: Store): Promise<void> {
    await others;
    for (const id of ids) await this.#lookAt(id, store());
  }

  async #lookAt(id: string, contents: LateLookOptions['contents']): Promise<void> {
    const directory = this.directoryOf(id);
    try {
      if (!files.existsSync(directory) || !this.#isOurs()) return;
      const { edits, left } = await lookAtDisplaced({ directory, root: this.#root, id, contents });
      for (const edit of edits) this.#log.warn(told(edit));
      for (const { file, because } of left)
        this.#log.warn(
          `a file that a restore took away was written to since, or could not be looked at; it stays at ${file} (${because})`,
        );
    } catch (error) {
      this.#log.warn(
        `what a restore took away could not be looked at again (${directory}): ${String(error)}`,
      );
    }
  }

  #restores(): string[] {
    return displacedBy(this.#directory);
  }
}

/** What comes before a session is removed that nobody has open, and whose store nobody asks any more. */
export async function lookBeforeRemoval(directory: SessionDirectory, log: Log): Promise<void> {
  const root = directory.readMarker()?.workTree;
  if (root === undefined || displacedBy(directory).length === 0) return;
  await new LateEdits(directory, root, log, () => true).lookNow(() => undefined);
}

/** The restores of a session whose displaced files are still there, by their ids. */
function displacedBy(directory: SessionDirectory): string[] {
  try {
    return files.readdirSync(directory.own).flatMap((name) => directoryName.exec(name)?.[1] ?? []);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []; // removed under us
    throw error;
  }
}

function told({ path, keptAs }: BroughtBack): string {
  const what = `${JSON.stringify(toText(path))} was written to by a program that had it open when a restore took it away`;
  return keptAs === undefined
    ? `${what}. What it wrote is back at its path, as an edit after the restore.`
    : `${what}, and its path has changed since. What it wrote lies beside it as ${JSON.stringify(toText(keptAs))}.`;
}

/** For what a restore met in the very moment of the exchange. */
export function keptBesideMessage(edits: readonly BroughtBack[]): string {
  return edits.map(told).join(' ');
}
