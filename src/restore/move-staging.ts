// Verifies the files that a restore moves, and finds the directories that one rename can move as a whole.
// Changes no file. If a move is not possible, replaces the move by a deletion and a write.
import { groupHasMoreRights } from '../base/access-lists.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import type { Contents } from '../store/snapshot-store.ts';
import { sameContent } from '../tree/tree.ts';
import {
  ancestors,
  isWithin,
  join,
  nameOf,
  parentOf,
  shallowFirst,
  type TreePath,
} from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { Move } from './moves.ts';
import { kindsOnce } from './obstructions.ts';
import { Access, directoryMode, fileMode } from './permission-setter.ts';
import type { FileDelete, FileWrite, RestorePlan } from './plan.ts';
import { canBeRead } from './preflight.ts';
import {
  asKnown,
  identify,
  type KnownContent,
  namesBelow,
  type Signature,
  statsIfReachable,
} from './present-state.ts';
import type { NotDone } from './staging.ts';

export interface StagedMove extends Move {
  readonly signature: Signature;
}

/** A directory that moves as a whole: each of its files moves to the same relative path below `to`. */
export interface StagedDirectory extends Move {
  readonly files: readonly StagedMove[];
}

export interface StagedMoves {
  /** The directories that move as a whole, sorted by new path, so that parents come before children. */
  readonly directories: readonly StagedDirectory[];
  readonly files: readonly StagedMove[];
  /** The steps of the plan that are not part of a move. */
  readonly rest: Steps;
}

export type Steps = Pick<RestorePlan, 'writes' | 'deletes'>;

interface MoveStagingOptions {
  readonly tree: AnchoredFiles;
  readonly contents: Contents;
  readonly umask: number;
  readonly access: Access;
  /** Returns the content that the capture before the restore found at a path. */
  readonly known?: ((path: TreePath) => KnownContent | undefined) | undefined;
  /** True to sync each file before its move. After a power cut, the file then has its content at the new path. */
  readonly durable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called twice for each move, because a move replaces two steps of the plan. */
  readonly onStaged: () => void;
}

/**
 * Returns the moves that give the same result as writing a new file. The file of such a move belongs to
 * this user and has the usual permission bits, no access list and no second name.
 */
export async function possibleMoves(
  tree: AnchoredFiles,
  { moves, writes }: Pick<RestorePlan, 'moves' | 'writes'>,
  signal?: AbortSignal,
): Promise<readonly Move[]> {
  const slices = new Slices(signal);
  const umask = process.umask();
  const user = process.geteuid?.();
  const written = new Map(writes.map(({ path, after }) => [path, after]));
  const possible: Move[] = [];
  const doubtful: TreePath[] = [];
  for (const move of moves) {
    if (slices.isDue()) await slices.pause();
    const after = written.get(move.to);
    const stats = statsIfReachable(tree, move.from);
    if (
      after === undefined ||
      stats?.isFile() !== true ||
      stats.nlink !== 1 ||
      stats.uid !== (user ?? stats.uid)
    )
      continue;
    if ((stats.mode & 0o7777) !== fileMode(after, undefined, umask)) continue;
    if (groupHasMoreRights(stats.mode)) doubtful.push(move.from);
    possible.push(move);
  }
  const access = new Access(tree);
  await access.ask(doubtful);
  return possible.filter(({ from }) => !access.isListed(from));
}

/** Stages the moves of a plan. @throws system errors, AbortError */
export async function stageMoves(
  options: MoveStagingOptions,
  plan: RestorePlan,
  notDone: NotDone,
): Promise<StagedMoves> {
  const { writes, deletes } = plan;
  const staged = await verified(options, plan, notDone);
  const left = new Set(staged.leftAlone);
  const moved = new Set(staged.files.flatMap(({ from, to }) => [from, to]));
  const isRest = ({ path }: { readonly path: TreePath }): boolean => !moved.has(path) && !left.has(path);
  const rest = { writes: writes.filter(isRest), deletes: deletes.filter(isRest) };
  const whole = new WholeDirectories(options, staged.files, plan);
  const directories = await whole.find();
  const within = new Set(directories.flatMap((each) => each.files));
  return { directories, files: staged.files.filter((each) => !within.has(each)), rest };
}

/**
 * Checks that each file that will move still matches the plan. If a file cannot move, and the store has no copy of its
 * content, the restore does not touch the file.
 */
async function verified(
  { tree, contents, umask, known, durable, signal, onStaged }: MoveStagingOptions,
  { moves, writes, deletes }: RestorePlan,
  { failed }: NotDone,
): Promise<{ readonly files: readonly StagedMove[]; readonly leftAlone: readonly TreePath[] }> {
  const slices = new Slices(signal);
  const written = new Map(writes.map((write) => [write.path, write]));
  const deleted = new Map(deletes.map((each) => [each.path, each]));
  const kindOf = kindsOnce(tree);
  const found: StagedMove[] = [];
  const leftAlone: TreePath[] = [];
  for (const { from, to } of moves) {
    signal?.throwIfAborted();
    if (slices.isDue()) await slices.pause();
    // The file need not be read again, even if its stamp is young: a move loses no content, and the capture after the
    // restore reads the file.
    const present = asKnown(tree, from, known?.(from)) ?? (await identify(tree, from, contents, slices));
    const [write, going] = [written.get(to), deleted.get(from)];
    if (write === undefined || going === undefined || present.kind !== 'entry') continue;
    if (!sameContent(present, going.expected)) continue;
    const { signature } = present;
    const isUsual = (signature.mode & 0o7777) === fileMode(write.after, undefined, umask);
    if (isUsual && kindOf(to) === 'absent') {
      if (durable) await sync(tree, from);
      found.push({ from, to, signature });
      onStaged();
      onStaged();
    } else if (!(await canBeRead(contents.read(write.after.blob)))) {
      failed.push({ path: to, reason: 'contentLost' }, { path: from, reason: 'unsaved' });
      leftAlone.push(from, to);
    }
  }
  return { files: found, leftAlone };
}

async function sync(tree: AnchoredFiles, path: TreePath): Promise<void> {
  const fd = files.openSync(tree.address(path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await filesAsync.fsync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Returns the deletions and writes that these moves replace. Leaves out steps whose content the store cannot return.
 */
export async function stepsOf(
  moves: readonly Move[],
  { writes, deletes }: Steps,
  contents: Contents,
  { failed }: NotDone,
): Promise<Steps> {
  const paths = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const steps: { readonly writes: FileWrite[]; readonly deletes: FileDelete[] } = { writes: [], deletes: [] };
  const unsaved = new Set<string>();
  for (const write of writes) {
    if (!paths.has(write.path)) continue;
    if (await canBeRead(contents.read(write.after.blob))) steps.writes.push(write);
    else {
      failed.push({ path: write.path, reason: 'contentLost' });
      unsaved.add(write.after.blob);
    }
  }
  for (const going of deletes) {
    if (!paths.has(going.path)) continue;
    if (unsaved.has(going.expected.blob)) failed.push({ path: going.path, reason: 'unsaved' });
    else steps.deletes.push(going);
  }
  return steps;
}

/** Finds the directories that can move as a whole, because all their files move to the same new directory. */
class WholeDirectories {
  readonly #tree: AnchoredFiles;
  readonly #access: Access;
  readonly #usualMode: number;
  readonly #slices: Slices;
  readonly #moves: ReadonlyMap<TreePath, StagedMove>;
  /** The new path of each directory. Undefined when the files of the directory move to different directories. */
  readonly #leadsTo = new Map<TreePath, TreePath | undefined>();
  readonly #isWhole = new Map<TreePath, boolean>();
  /** The directories whose permission bits the plan changes, and all directories above them. */
  readonly #changed: ReadonlySet<TreePath>;

  constructor(
    { tree, access, umask, signal }: MoveStagingOptions,
    moves: readonly StagedMove[],
    { permissionChanges }: RestorePlan,
  ) {
    this.#tree = tree;
    this.#access = access;
    this.#usualMode = directoryMode(undefined, umask);
    this.#slices = new Slices(signal);
    this.#moves = new Map(moves.map((move) => [move.from, move]));
    const changes = permissionChanges.filter(({ kind }) => kind === 'directory');
    this.#changed = new Set(changes.flatMap(({ path }) => [path, ...ancestors(path)]));
  }

  async find(): Promise<StagedDirectory[]> {
    for (const { from, to } of this.#moves.values()) this.#addDestination(from, to);
    const candidates = [...this.#leadsTo].flatMap(([from, to]) => (to === undefined ? [] : [from]));
    if (groupHasMoreRights(this.#usualMode)) await this.#access.ask(candidates);
    const tops: TreePath[] = [];
    for (const from of candidates.sort(shallowFirst)) {
      if (this.#slices.isDue()) await this.#slices.pause();
      if (this.#isTop(from) && this.#check(from)) tops.push(from);
    }
    return this.#withFiles(tops).sort((a, b) => shallowFirst(a.to, b.to));
  }

  #isTop(from: TreePath): boolean {
    return !ancestors(from).some((above) => this.#isWhole.get(above) === true);
  }

  #addDestination(from: TreePath, to: TreePath): void {
    let isSame = true;
    for (let [a, b] = [from, to]; ; ) {
      isSame &&= nameOf(a) === nameOf(b);
      [a, b] = [parentOf(a), parentOf(b)];
      if (a === '') return;
      const next = isSame && b !== '' ? b : undefined;
      if (!this.#leadsTo.has(a)) this.#leadsTo.set(a, next);
      else if (this.#leadsTo.get(a) !== next) this.#leadsTo.set(a, undefined);
      if (next === undefined) isSame = false;
    }
  }

  #check(from: TreePath): boolean {
    const known = this.#isWhole.get(from);
    if (known !== undefined) return known;
    const isWhole = this.#checkWhole(from);
    this.#isWhole.set(from, isWhole);
    return isWhole;
  }

  #checkWhole(from: TreePath): boolean {
    const to = this.#leadsTo.get(from);
    if (to === undefined || isWithin(to, from) || statsIfReachable(this.#tree, to) !== undefined)
      return false;
    const stats = statsIfReachable(this.#tree, from);
    if (stats === undefined || (stats.mode & 0o7777) !== this.#usualMode) return false;
    if (stats.uid !== (process.geteuid?.() ?? stats.uid) || this.#access.isListed(from)) return false;
    if (this.#changed.has(from) || this.#changed.has(to)) return false;
    const names = namesBelow(this.#tree, from);
    let isWhole = names.length > 0;
    for (const { name, isDirectory } of names) {
      const below = join(from, name);
      const next = isDirectory ? this.#check(below) && this.#leadsTo.get(below) : this.#moves.get(below)?.to;
      isWhole &&= next === join(to, name);
    }
    return isWhole;
  }

  #withFiles(tops: readonly TreePath[]): StagedDirectory[] {
    const within = new Map<TreePath, StagedMove[]>(tops.map((top) => [top, []]));
    for (const move of this.#moves.values()) {
      for (const above of ancestors(move.from)) within.get(above)?.push(move);
    }
    return tops.flatMap((from) => {
      const to = this.#leadsTo.get(from);
      return to === undefined ? [] : [{ from, to, files: within.get(from) ?? [] }];
    });
  }
}
