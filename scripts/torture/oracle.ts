// After the daemon has reported a checkpoint, records which contents the checkpoint must have. Also records which
// contents the daemon has removed from the work tree, because the daemon must be able to restore them.
import {
  captured,
  describe,
  isTemporary,
  type Manifest,
  nameOf,
  type PathRef,
  type Thing,
} from './manifest.ts';
import { type Seat } from './seat.ts';
import { Defect } from './tally.ts';

/** A file in the answer of `checkpoint/files`. */
interface Held {
  readonly hash: string;
  readonly mode: string;
}
type Holding = ReadonlyMap<string, Held>;

export interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly tag?: string;
  readonly name?: string;
  readonly commit?: string;
}

interface Displaced {
  readonly path: string;
  readonly thing: Thing;
  readonly since: string;
}

const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

export class Oracle {
  /** The files that each checkpoint must have. */
  readonly #claims = new Map<string, Manifest>();
  readonly #displaced = new Map<string, Displaced>();
  readonly #known = new Set<string>([empty]);
  readonly #holdings = new Map<string, Holding>();

  /**
   * Records the contents of all existing files as known. If a file later has an unknown content, the file counts as
   * torn.
   */
  learn(all: Manifest): void {
    for (const { git } of all.values()) this.#known.add(git);
  }

  assertWhole(all: Manifest, where: string): void {
    for (const [path, thing] of all)
      if (thing.kind === 'file' && !isTemporary(path) && !this.#known.has(thing.git))
        throw new Defect(`${where}: ${path} holds a content that no program wrote (${describe(thing)})`);
  }

  /**
   * Records that the daemon has changed the work tree. From now on, every content that the daemon removed must be
   * stored somewhere.
   */
  took(before: Manifest, after: Manifest, since: string, moved: Manifest = new Map()): void {
    for (const [path, thing] of before) {
      if (isTemporary(path) || thing.kind === 'other' || thing.git === empty) continue;
      const now = after.get(path);
      if (now?.git === thing.git && now.kind === thing.kind) continue;
      if ([...moved.values()].some(({ git }) => git === thing.git)) continue;
      this.#displaced.set(`${path}\0${thing.git}`, { path, thing, since });
    }
  }

  claim(seat: Seat, id: string, manifest: Manifest): void {
    this.#claims.set(`${seat.session} ${id}`, manifest);
  }

  targetOf(seat: Seat, id: string): Manifest | undefined {
    return this.#claims.get(`${seat.session} ${id}`);
  }

  /** Reads the contents of every checkpoint before a request removes checkpoints. */
  async remember(seat: Seat): Promise<void> {
    for (const { id } of await list(seat)) await this.holding(seat, id);
  }

  /**
   * Records that the user removed checkpoints. From then on, a content may be missing if no other checkpoint had this
   * content ({@link remember}), or if only the work tree has it. Any other missing content counts as lost.
   */
  async forget(seats: readonly Seat[], work: Manifest, isGone: (id: string) => boolean): Promise<void> {
    for (const key of this.#claims.keys()) if (isGone(idIn(key))) this.#claims.delete(key);
    const gone = [...this.#holdings].filter(([key]) => isGone(idIn(key))).map(([, holding]) => holding);
    for (const { path, thing } of await this.#missing(seats, new Map()))
      if (work.get(path)?.git === thing.git || gone.some((holding) => hasContent(holding.get(path), thing)))
        this.#displaced.delete(`${path}\0${thing.git}`);
  }

  forgetAll(seat: Seat): void {
    for (const id of this.claimed(seat)) this.#claims.delete(`${seat.session} ${id}`);
    this.#displaced.clear();
  }

  /** Returns the session's checkpoints with known contents. */
  claimed(seat: Seat): ReadonlySet<string> {
    const keys = [...this.#claims.keys()].filter((key) => key.startsWith(`${seat.session} `));
    return new Set(keys.map(idIn));
  }

  /**
   * Checks that nothing is lost. @throws Defect when a known checkpoint is missing, or when a displaced content is
   * stored nowhere.
   */
  async assertNothingLost(seats: readonly Seat[], work: Manifest, where: string): Promise<void> {
    for (const seat of seats) {
      const ids = new Set((await list(seat)).map(({ id }) => id));
      for (const key of this.#claims.keys()) {
        const [session, id = ''] = key.split(' ');
        if (session === seat.session && !ids.has(id)) throw new Defect(`${where}: checkpoint ${id} is gone`);
      }
    }
    const lost = await this.#missing(seats, work);
    if (lost.length > 0)
      throw new Defect(
        `${where}: lost ${lost.map(({ path, thing, since }) => `${path} (${describe(thing)}, displaced by ${since})`).join(', ')}`,
      );
  }

  async holding(seat: Seat, id: string): Promise<Holding> {
    const key = `${seat.session} ${id}`;
    const cached = this.#holdings.get(key);
    if (cached !== undefined) return cached;
    const holding = await readHolding(seat, id);
    this.#holdings.set(key, holding);
    return holding;
  }

  /**
   * Returns all paths in checkpoints, except those that only the checkpoint `besides` has. A capture includes these
   * paths even if they are ignored.
   */
  heldPaths(besides?: string): ReadonlySet<string> {
    const others = [...this.#holdings].filter(([key]) => idIn(key) !== besides);
    return new Set(others.flatMap(([, holding]) => [...holding.keys()]));
  }

  /** Reads all or some checkpoints again, and compares them with their earlier contents. */
  async assertHeld(seat: Seat, where: string, only?: readonly string[]): Promise<void> {
    for (const id of only ?? (await list(seat)).map((each) => each.id)) {
      const now = await readHolding(seat, id);
      const then = this.#holdings.get(`${seat.session} ${id}`);
      this.#holdings.set(`${seat.session} ${id}`, now);
      if (then !== undefined && JSON.stringify([...then]) !== JSON.stringify([...now]))
        throw new Defect(`${where}: checkpoint ${id} is no longer what it was`);
      const claim = this.targetOf(seat, id);
      if (claim !== undefined) assertHolds(now, claim, `${where}: checkpoint ${id}`);
    }
  }

  async #missing(seats: readonly Seat[], work: Manifest): Promise<Displaced[]> {
    let left = [...this.#displaced.values()].filter(({ path, thing }) => work.get(path)?.git !== thing.git);
    for (const seat of seats)
      for (const { id } of await list(seat)) {
        if (left.length === 0) return [];
        const holding = await this.holding(seat, id);
        left = left.filter(({ path, thing }) => !hasContent(holding.get(path), thing));
      }
    return left;
  }
}

/** Returns the checkpoint id that a key of `#claims` or `#holdings` contains. */
const idIn = (key: string): string => key.split(' ')[1] ?? '';

/** Checks that a checkpoint contains exactly these files. @throws Defect */
export function assertHolds(holding: Holding, wanted: Manifest, where: string): void {
  const wrong: string[] = [];
  for (const path of new Set([...holding.keys(), ...wanted.keys()])) {
    const [held, thing] = [holding.get(path), wanted.get(path)];
    if (thing !== undefined && hasContent(held, thing) && held?.mode === gitMode(thing)) continue;
    wrong.push(
      `${path}: ${held === undefined ? 'absent' : `${held.mode} ${held.hash.slice(0, 8)}`}, not ${describe(thing)}`,
    );
  }
  if (wrong.length > 0) throw new Defect(`${where} holds ${wrong.join('; ')}`);
}

export function hasContent(held: Held | undefined, { git, sha256 }: Thing): boolean {
  return held !== undefined && (held.hash === git || held.hash === sha256);
}

/** True when every file and link of a checkpoint is on disk. */
export function isOnDisk(holding: Holding, work: Manifest): boolean {
  return [...holding].every(([path, held]) => {
    const thing = work.get(path);
    return held.mode === '160000' || (thing !== undefined && hasContent(held, thing));
  });
}

export function gitMode({ kind, mode }: Thing): string {
  return kind === 'link' ? '120000' : (mode & 0o100) === 0 ? '100644' : '100755';
}

/** Lists every checkpoint of the session, including safety checkpoints and the checkpoints of restores. */
export async function list(seat: Seat): Promise<Listed[]> {
  const all: Listed[] = [];
  let cursor: string | undefined;
  do {
    const page = await seat.ask('checkpoint/list', {
      kind: 'every',
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (page.is === 'failed' && page.kind === 'CheckpointsDisabled') return [];
    if (page.is !== 'answered') throw new Defect(`checkpoint/list: ${JSON.stringify(page)}`);
    all.push(...(page.result['checkpoints'] as Listed[]));
    cursor = page.result['nextCursor'] as string | undefined;
  } while (cursor !== undefined);
  return all;
}

async function readHolding(seat: Seat, id: string): Promise<Holding> {
  type Files = {
    readonly files: readonly (Held & PathRef)[];
    readonly nextCursor?: string;
  };
  const held = new Map<string, Held>();
  let cursor: string | undefined;
  do {
    const page: Files = await seat.read('checkpoint/files', {
      tag: id,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const file of page.files) held.set(nameOf(file), { hash: file.hash, mode: file.mode });
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return held;
}

/**
 * Returns the files that a new checkpoint must contain: all files that a capture includes, except the paths that the
 * capture reports as skipped.
 */
export function wanted(root: string, all: Manifest, skipped: readonly PathRef[]): Manifest {
  const left = new Set(skipped.map(nameOf));
  return new Map([...captured(root, all)].filter(([path]) => !isAtOrBelow(path, left)));
}

export function isAtOrBelow(path: string, places: ReadonlySet<string>): boolean {
  const parts = path.split('/');
  return parts.some((_, i) => places.has(parts.slice(0, i + 1).join('/')));
}
