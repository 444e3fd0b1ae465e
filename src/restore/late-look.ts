// Finds edits that another program made in a file that a restore removed or replaced. If the edit comes at the moment
// when the restore replaces the file, the commit finds the edit at once. But a program may still have the displaced
// file open, and write to the file later. So a second check, the late look, checks the displaced files after two
// seconds, or at the end of the session. The late look removes displaced files that are unchanged. The late look
// returns an edited file to its path, as if the edit had come after the restore. If a program has also edited the file
// that is now at this path, the late look keeps the displaced file beside the path. The next opening of the session
// repeats an interrupted late look.
import { randomInt } from 'node:crypto';
import { join as joinPaths } from 'node:path';
import { attemptOr, isMissing } from '../base/attempt.ts';
import { type DirectoryIdentity, directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import { CheckpointdError, isExpected, systemCode } from '../base/errors.ts';
import { type BigIntStats, files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { Slices } from '../base/slices.ts';
import type { Contents } from '../store/snapshot-store.ts';
import { isRestoreTemporary } from '../tree/globs.ts';
import { sameContent } from '../tree/tree.ts';
import { ancestors, join, nameOf, parentOf, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { Asides, Commit, type Edited } from './commit.ts';
import { type DisplacedFile, displacedIn, isUnwritten, readNote, removeWhenEmpty } from './displaced.ts';
import { pathReason } from './failure.ts';
import { identify, namesBelow, type Present, statsAt } from './present-state.ts';
import { clearTemporary, isTemporaryOf, Temporaries } from './temporaries.ts';

interface LateLookOptions {
  /**
   * The directory with the displaced files. In the options of the restore, this directory has the name `displacedTo`.
   */
  readonly directory: string;
  /** The path of the work tree. */
  readonly root: string;
  /** The id of the restore. */
  readonly id: string;
  /**
   * Reads contents from the store. Undefined when the store is not available. The look then moves no edited file back:
   * it keeps each such file beside its path.
   */
  readonly contents: Pick<Contents, 'hash' | 'sizes'> | undefined;
}

export interface LateLookResult {
  /** The edits that the look found. */
  readonly edits: readonly ReturnedEdit[];
  /** The displaced files that could not be checked or moved, each with the reason. */
  readonly left: readonly { readonly file: string; readonly because: string }[];
}

/** Checks all displaced files of a restore. @throws system errors about the directory itself */
export async function checkDisplaced(options: LateLookOptions): Promise<LateLookResult> {
  const look = new LateLook(options);
  try {
    return await look.run();
  } finally {
    look.close();
  }
}

class LateLook {
  readonly #options: LateLookOptions;
  readonly #slices = Slices.inBackground();
  readonly #edits: ReturnedEdit[] = [];
  /** The opened work tree. Undefined until the look needs the work tree. */
  #parts: ReturnParts | undefined;

  constructor(options: LateLookOptions) {
    this.#options = options;
  }

  async run(): Promise<LateLookResult> {
    const { directory } = this.#options;
    const left: { file: string; because: string }[] = [];
    const note = readNote(directory);
    for (const { file, number } of displacedIn(directory)) {
      if (this.#slices.isDue()) await this.#slices.pause();
      try {
        await this.#checkFile(file, note.files[number], note.root);
      } catch (error) {
        if (!isExpected(error)) throw error;
        left.push({ file, because: systemCode(error) ?? (error as CheckpointdError).kind });
      }
    }
    removeWhenEmpty(directory);
    return { edits: this.#edits, left };
  }

  close(): void {
    if (this.#parts === undefined) return;
    const { tree, temporaries } = this.#parts;
    try {
      for (const path of temporaries.all) files.rmSync(tree.address(path), { force: true });
    } finally {
      tree.close();
    }
  }

  async #checkFile(
    file: string,
    displaced: DisplacedFile | undefined,
    root: DirectoryIdentity | undefined,
  ): Promise<void> {
    let stats = files.lstatSync(file, { bigint: true });
    if (displaced !== undefined && isUnwritten(stats, displaced)) return files.unlinkSync(file);
    if (stats.nlink > 1n && !stats.isDirectory()) {
      if (displaced !== undefined && this.#isHere(root)) await this.#clearSecondNames(stats, displaced);
      stats = files.lstatSync(file, { bigint: true });
      // The file has another name, in the work tree or elsewhere, so removing this name loses no content.
      if (stats.nlink > 1n) return files.unlinkSync(file);
    }
    if (displaced === undefined && (await this.#isStored(file))) return files.unlinkSync(file);
    if (!this.#isHere(root))
      throw new CheckpointdError('WorkTreeMissing', 'Another directory is at the path of the work tree.');
    const { path = rootPath, put } = displaced ?? {};
    this.#edits.push(...(await returnEdit(this.#open(), { path, at: { outside: file }, put })));
  }

  /**
   * Removes the temporary names that a killed look had given to the displaced file and to its replacement. Keeps any
   * other file that has such a name.
   */
  async #clearSecondNames({ ino, dev }: BigIntStats, { path, put }: DisplacedFile): Promise<void> {
    const { tree, contents, temporaries, touched } = this.#open();
    for (const directory of [...ancestors(path), rootPath]) {
      if (directory !== rootPath && !tree.isDirectory(directory)) continue;
      for (const { name, isDirectory } of namesBelow(tree, directory)) {
        const second = join(directory, name);
        if (isDirectory || !isRestoreTemporary(name) || !isTemporaryOf(second, this.#options.id)) continue;
        const stats = statsAt(tree, second);
        const isSame = stats?.ino === ino && stats.dev === dev;
        const present = isSame
          ? undefined
          : contents && (await identify(tree, second, contents, this.#slices));
        const isPut = present?.kind === 'entry' && put !== undefined && sameContent(present, put);
        if (isSame || isPut) clearTemporary(tree, second);
        else {
          const names = new Asides(tree, temporaries, touched, undefined);
          this.#edits.push({ path, keptAs: names.keepTemporary(second) });
        }
      }
    }
  }

  /**
   * True when the store has the content of a displaced file. Used when the note does not describe the file because a
   * power cut damaged the note.
   */
  async #isStored(file: string): Promise<boolean> {
    const { contents, directory } = this.#options;
    if (contents === undefined)
      throw new CheckpointdError(
        'CheckpointsDisabled',
        'Without a store, the daemon cannot decide whether to delete the file.',
      );
    const tree = new AnchoredFiles(directory);
    try {
      const name = file.slice(directory.length + 1) as TreePath;
      const present = await identify(tree, name, contents, this.#slices);
      return present.kind === 'entry' && (await contents.sizes([present.blob]))[0] !== -1;
    } finally {
      tree.close();
    }
  }

  #isHere(root: DirectoryIdentity | undefined): boolean {
    const here = directoryAt(this.#options.root);
    return here !== undefined && (root === undefined || isSameDirectory(root, here));
  }

  #open(): ReturnParts {
    const { root, id, contents } = this.#options;
    this.#parts ??= {
      tree: new AnchoredFiles(root),
      // The counter starts at a random number, so that no name is equal to a name of the restore or of a killed look.
      temporaries: new Temporaries(id, 10 ** 9 + randomInt(2 ** 40)),
      contents,
      slices: this.#slices,
      touched: new Set(),
    };
    return this.#parts;
  }
}

/**
 * The time in ms from a restore to its late look. Even on an overloaded machine, a program needs less time from the
 * opening of a file to its first write.
 */
const waitMs = 2_000;
const directoryName = /^displaced-([0-9a-z]{20})$/;

type OwnDirectory = { readonly own: string };
type Store = () => LateLookOptions['contents'];

/** Knows which process owns the session. If another process has taken over the session, that process runs the look. */
interface Ownership {
  isOwner(): boolean;
}

export class LateEdits {
  readonly #directory: OwnDirectory;
  readonly #root: string;
  readonly #log: Log;
  readonly #owner: Ownership;
  readonly #timers = new Set<NodeJS.Timeout>();
  #running: Promise<void> = Promise.resolve();

  constructor(directory: OwnDirectory, root: string, log: Log, owner: Ownership) {
    this.#owner = owner;
    this.#directory = directory;
    this.#root = root;
    this.#log = log;
  }

  /** Returns the directory for the files that a restore displaces. */
  directoryOf(id: string): string {
    return joinPaths(this.#directory.own, `displaced-${id}`);
  }

  /** Schedules the look that follows a restore, whether or not the restore was successful. */
  checkLater(id: string, store: Store): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#checkInTurn([id], store);
    }, waitMs);
    timer.unref();
    this.#timers.add(timer);
  }

  /** Checks all displaced files at once. Called when the session opens, and before the session ends. */
  async checkNow(store: Store): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#checkInTurn(displacedBy(this.#directory), store);
  }

  /** True while displaced files remain. The daemon does not remove a session that ends with displaced files. */
  get isAny(): boolean {
    return displacedBy(this.#directory).length > 0;
  }

  /** Runs one look at a time. */
  #checkInTurn(ids: readonly string[], store: Store): Promise<void> {
    this.#running = this.#checkAfter(this.#running, ids, store);
    return this.#running;
  }

  async #checkAfter(others: Promise<void>, ids: readonly string[], store: Store): Promise<void> {
    await others;
    for (const id of ids) await this.#checkRestore(id, store());
  }

  async #checkRestore(id: string, contents: LateLookOptions['contents']): Promise<void> {
    const directory = this.directoryOf(id);
    try {
      if (!files.existsSync(directory) || !this.#owner.isOwner()) return;
      const { edits, left } = await checkDisplaced({ directory, root: this.#root, id, contents });
      for (const edit of edits) this.#log.warn(editMessage(edit));
      for (const { file, because } of left)
        this.#log.warn(
          `a restore displaced a file, and a program may have written to the file since; the displaced file stays at ${file} (${because})`,
        );
    } catch (error) {
      this.#log.warn(
        `the daemon could not check the files that a restore displaced (${directory}): ${String(error)}`,
      );
    }
  }
}

/** Checks the displaced files of a closed session that the daemon is about to remove. Does not open the store. */
export async function checkBeforeRemoval(
  directory: OwnDirectory & { readonly readMarker: () => { readonly workTree: string } | undefined },
  log: Log,
): Promise<void> {
  const root = directory.readMarker()?.workTree;
  if (root === undefined || displacedBy(directory).length === 0) return;
  await new LateEdits(directory, root, log, { isOwner: () => true }).checkNow(() => undefined);
}

/** Returns the ids of the session's restores that still have displaced files. */
function displacedBy(directory: OwnDirectory): string[] {
  // Returns no ids when another process has removed the directory.
  return attemptOr([], isMissing, () =>
    files.readdirSync(directory.own).flatMap((name) => directoryName.exec(name)?.[1] ?? []),
  );
}

function editMessage({ path, keptAs }: ReturnedEdit): string {
  const what = `A program wrote to ${JSON.stringify(toText(path))} after a restore had displaced the file`;
  return keptAs === undefined
    ? `${what}. The daemon put the written file back at its path, as an edit after the restore.`
    : `${what}. The path may have changed since, so the daemon kept the file with this write beside the path, as ${JSON.stringify(toText(keptAs))}.`;
}

/** Returns the warning about files that a program edited while the restore replaced them. */
export function keptBesideMessage(edits: readonly ReturnedEdit[]): string {
  return edits.map(editMessage).join(' ');
}

interface ReturnParts {
  readonly tree: AnchoredFiles;
  readonly temporaries: Temporaries;
  /**
   * The functions that compute content ids. Without these functions, the look cannot compare contents, and keeps every
   * edited file beside the file's path.
   */
  readonly contents: Pick<Contents, 'hash'> | undefined;
  readonly slices: Slices;
  readonly touched: Set<TreePath>;
}

/** An edited file and its final place: at `keptAs`, or at its own path when `keptAs` is absent. */
export interface ReturnedEdit {
  readonly path: TreePath;
  readonly keptAs?: TreePath;
}

/**
 * Moves an edited file back to its path, or to a new name beside its path. @throws system errors; the file then stays
 * where it was
 */
async function returnEdit(parts: ReturnParts, edit: Edited): Promise<ReturnedEdit[]> {
  const { path } = edit;
  const put = await moveBack(parts, edit);
  if (put.isBack) return [{ path }, ...put.met.map((keptAs) => ({ path, keptAs }))];
  return [{ path, keptAs: keep(parts, edit) }, ...put.met.map((keptAs) => ({ path, keptAs }))];
}

/**
 * Empties the list of the edits that a commit found. Moves each edited file back to its path, or beside its path.
 * Returns the files that are now beside their paths.
 */
export async function returnEdits(parts: ReturnParts, edited: Edited[]): Promise<ReturnedEdit[]> {
  const beside: ReturnedEdit[] = [];
  for (const edit of edited.splice(0)) {
    const returned = await returnEdit(parts, edit);
    beside.push(...returned.filter(({ keptAs }) => keptAs !== undefined));
  }
  return beside;
}

interface MovedBack {
  readonly isBack: boolean;
  /**
   * The new paths of edited files. A program had edited these files after the restore, so the late look moved the files
   * beside their paths.
   */
  readonly met: readonly TreePath[];
}

async function moveBack(parts: ReturnParts, { path, put, at }: Edited): Promise<MovedBack> {
  const no = { isBack: false, met: [] };
  const { tree, temporaries, contents, slices, touched } = parts;
  const address = (): string | Buffer => ('outside' in at ? at.outside : tree.address(at.beside));
  if (files.lstatSync(address()).isDirectory()) return no;
  const present = contents && (await identify(tree, path, contents, slices));
  if (present === undefined || !isAsWritten(present, put)) return no;
  let directory = parentOf(path);
  while (directory !== '' && !tree.isDirectory(directory)) directory = parentOf(directory);
  const temporary = temporaries.next(directory);
  const commit = new Commit(tree, temporaries, new Set(), touched);
  try {
    files.linkSync(address(), tree.address(temporary));
    const replaces = present.kind === 'entry' ? { replaces: present.signature } : {};
    const outcome = commit.write({ path, temporary, ...replaces });
    const met = commit.edited.flatMap((each) => ('beside' in each.at ? [each.at.beside] : []));
    if (outcome === 'conflict' && met.length === 0) {
      files.unlinkSync(tree.address(temporary));
      temporaries.gone(temporary);
      return no;
    }
    files.unlinkSync(address());
    return { isBack: true, met };
  } catch (error) {
    if (pathReason(error) === undefined) throw error;
    files.rmSync(tree.address(temporary), { force: true }); // the link or its directory cannot be made
    temporaries.gone(temporary);
    return no;
  }
}

function isAsWritten(present: Present, put: Edited['put']): boolean {
  if (put === undefined) return present.kind === 'absent';
  return present.kind === 'entry' && sameContent(present, put);
}

/**
 * Gives the edited file a new name in its directory. No sweep removes a file with such a name. If the directory of
 * the file is gone, uses the nearest existing directory above.
 */
function keep({ tree, temporaries, touched }: ReturnParts, { path, at }: Edited): TreePath {
  if ('beside' in at) return at.beside;
  let directory = parentOf(path);
  while (directory !== '' && !tree.isDirectory(directory)) directory = parentOf(directory);
  return new Asides(tree, temporaries, touched, undefined).keep(at, join(directory, nameOf(path)));
}
